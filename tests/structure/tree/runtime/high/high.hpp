#pragma once
#include "high/inner/inner.hpp"
#include "middle/middle.hpp"
#include "middle/absent.hpp"
#include "high.hpp"
