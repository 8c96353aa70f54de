// `antiphon devices`: reaches a driver.
#include "cli/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace cli_tests;
using Json = nlohmann::json;

TEST_CASE("devices says what is here, as text and as a profile that check reads") {
  const Folder folder;
  const auto text = shell(folder, "antiphon devices");
  CHECK(text.code == 0);
  CHECK(text.err.empty());
  CHECK(text.out.find("Vulkan 1.") != std::string::npos);
  CHECK(text.out.find("shared memory") != std::string::npos);

  const auto json = shell(folder, "antiphon devices --json");
  CHECK(json.code == 0);
  const auto parsed = Json::parse(json.out);
  const auto& first = parsed.is_array() ? parsed[0] : parsed;
  CHECK(first["format"] == 1);
  CHECK(first["max_workgroup_invocations"] >= 128);
  CHECK(first["heaps"][0]["bytes"] > 0);
  const auto name = first["name"].get<std::string>();
  CHECK(text.out.find(name) != std::string::npos);

  const auto again = shell(folder, "antiphon devices --json '" + name + "'");
  CHECK(Json::parse(again.out)["name"] == name);
}

TEST_CASE("where there is no such device, or none at all, the way out is told") {
  const Folder folder;
  const auto none = shell(folder, "antiphon devices nonesuch");
  CHECK(none.code == 2);
  CHECK(none.out.empty());
  CHECK(none.err.starts_with(
      "antiphon devices: no device here has 'nonesuch' in its name; there are: '"));
  const auto without = shell(folder,
                             "env VK_DRIVER_FILES=/nonexistent.json "
                             "VK_ICD_FILENAMES=/nonexistent.json antiphon devices");
  CHECK(without.code == 2);
  CHECK(without.out.empty());
  CHECK(!without.err.empty());
}
