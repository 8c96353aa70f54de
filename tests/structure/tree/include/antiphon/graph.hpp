#pragma once
#include <string>
#include <antiphon/place.hpp>
#include <fmt/format.h>
#include "low/low.hpp"
