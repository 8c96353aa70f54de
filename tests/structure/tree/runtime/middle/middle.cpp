#include "middle/middle.hpp"

#include <spdlog/spdlog.h>
#include <zlib.h>
#include <boost/any.hpp>
#include <fmt/format.h>
#include <sys/mman.h>
