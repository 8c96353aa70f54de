// JSON whose keys stay in the order in which they were written.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace antiphon::report {

using Json = nlohmann::ordered_json;

// Names may hold bytes that are no UTF-8; JSON may not.
inline std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace antiphon::report
