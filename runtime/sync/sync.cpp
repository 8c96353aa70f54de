#include "sync/activity.hpp"
#include "sync/timeline.hpp"
