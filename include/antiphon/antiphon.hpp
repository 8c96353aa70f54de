// All of antiphon. check.hpp and graph_file.hpp alone are the half that needs no Vulkan.
#pragma once

#include <antiphon/bounds.hpp>
#include <antiphon/check.hpp>
#include <antiphon/graph.hpp>
#include <antiphon/graph_file.hpp>
#include <antiphon/log.hpp>
#include <antiphon/render.hpp>
#include <antiphon/runtime.hpp>
#include <antiphon/sizes.hpp>
