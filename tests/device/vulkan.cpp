// What only a Vulkan device does: it is found, or not; kernels are held against its features.
#include "device/subject.hpp"
#include "device/vulkan/vulkan_device.hpp"

#include <kernels/scale.hpp>
#include <kernels/wide_types.hpp>

#include <cstdlib>
#include <string>

using namespace antiphon;
using namespace antiphon::device;

namespace {

// Sets a variable of the environment, which the loader reads anew for each instance.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    ::setenv(name, value, 1);
  }
  ~Environment() { old_.empty() ? ::unsetenv(name_) : ::setenv(name_, old_.c_str(), 1); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::string old_;
};

bool says(const Failure& failure, const std::string& text) {
  return failure.message.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("devices are listed, and opened by a part of their name in any case") {
  const auto devices = vulkan::list();
  REQUIRE(devices);
  REQUIRE(!(*devices).empty());
  auto part = (*devices)[0].name.substr(0, 5);
  for (auto& c : part) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto device = vulkan::open({.device = part});
  REQUIRE(device);
  CHECK(!(*device)->profile().driver.empty());
}

TEST_CASE("a device of no such name is told, with those that there are") {
  const auto device = vulkan::open({.device = "no such device"});
  REQUIRE(!device);
  CHECK(device.failure().kind == ErrorKind::no_device);
  CHECK(says(device.failure(), "no such device"));
  const auto devices = vulkan::list();
  REQUIRE(devices);
  CHECK(says(device.failure(), (*devices)[0].name));
}

TEST_CASE("without a driver the way out is told") {
  const Environment newer("VK_DRIVER_FILES", "/nonexistent.json");
  const Environment older("VK_ICD_FILENAMES", "/nonexistent.json");
  const auto device = vulkan::open({});
  REQUIRE(!device);
  CHECK(device.failure().kind == ErrorKind::no_device);
  CHECK(says(device.failure(), "mesa-vulkan-drivers"));
}

TEST_CASE("without the validation layer the way out is told") {
  const Environment layers("VK_LAYER_PATH", "/nonexistent");
  const auto device = vulkan::open({.validation = true});
  REQUIRE(!device);
  CHECK(device.failure().kind == ErrorKind::unsupported);
  CHECK(says(device.failure(), "vulkan-validationlayers"));
}

TEST_CASE("a kernel's constants reach it") {
  const auto subject = open_subject();
  Ints x(*subject, 64, 1, 1);
  Ints y(*subject, 64);
  auto kernel =
      subject->device().make_kernel({.name = "scale",
                                     .spirv = {std::begin(scale_spirv), std::end(scale_spirv)},
                                     .constants = {{7, 21}},
                                     .bindings = 2});
  REQUIRE(kernel);
  const auto bindings = bind(*subject, **kernel, {x.all(), y.all()});
  const auto queue = make_queue(*subject);
  wait_for(*queue, submit(*queue, {{{{Barrier::none, kernel->get(), bindings.get()}}, true}}));
  CHECK(y[0] == 21);
  CHECK(y[63] == 64 * 21);
}

TEST_CASE("a kernel may use each type that the device has, and is refused by the one it has not") {
  const auto subject = open_subject();
  const auto kernel = subject->device().make_kernel(
      {.name = "wide_types",
       .spirv = {std::begin(wide_types_spirv), std::end(wide_types_spirv)},
       .constants = {},
       .bindings = 2});
  if (!kernel) {
    CHECK(kernel.failure().kind == ErrorKind::unsupported);
    CHECK_MESSAGE(says(kernel.failure(), "lacks the feature"), kernel.failure().message);
    return;
  }
  auto x = subject->device().make_buffer({"x", 64, HostAccess::read_write}).value_or_throw();
  Ints y(*subject, 4);
  for (int i = 0; i < 64; ++i) x->mapped()[i] = static_cast<std::byte>(i);
  const auto& made = *kernel;
  const auto bindings = bind(*subject, *made, {{x.get(), 0, 64}, y.all()});
  const auto queue = make_queue(*subject);
  wait_for(*queue, submit(*queue, {{{{Barrier::none, made.get(), bindings.get()}}, true}}));
  CHECK(y[0] == 63 * 64 / 2);  // 8-bit integers and a 64-bit sum
  CHECK(y[1] == 3);            // 16-bit integers
  CHECK(y[2] == 6);            // 16-bit floats
  CHECK(y[3] == 12);           // 64-bit floats
}

TEST_CASE("a kernel that the device can't be given is refused with the reason") {
  const auto subject = open_subject();
  const auto refusal = [&](std::vector<std::uint32_t> spirv) {
    const auto kernel =
        subject->device().make_kernel({.name = "odd", .spirv = std::move(spirv), .constants = {}});
    REQUIRE(!kernel);
    CHECK(says(kernel.failure(), "actor 'odd'"));
    return kernel.failure();
  };
  constexpr std::uint32_t magic = 0x07230203;
  CHECK(says(refusal({}), "no SPIR-V"));
  CHECK(says(refusal({1, 2, 3, 4, 5}), "no SPIR-V"));
  CHECK(says(refusal({magic, 0x00010600, 0, 8, 0}), "1.6"));
  CHECK(says(refusal({magic, 0x00010500, 0, 8, 0, 0}), "ends beyond"));
  CHECK(says(refusal({magic, 0x00010500, 0, 8, 0, 3U << 16 | 17, 1}), "ends beyond"));
  const auto geometry = refusal({magic, 0x00010500, 0, 8, 0, 2U << 16 | 17, 2});
  CHECK(geometry.kind == ErrorKind::unsupported);
  CHECK(says(geometry, "capability 2"));
}

TEST_CASE("a device that was opened without validation has nothing to say") {
  const auto device = vulkan::open({});
  REQUIRE(device);
  CHECK((*device)->validation_messages().empty());
}

TEST_CASE("what a device made keeps it alive") {
  auto opened = vulkan::open({.validation = true});
  REQUIRE(opened);
  auto device = *std::move(opened);
  auto buffer = device->make_buffer({"last", 64, HostAccess::read_write}).value_or_throw();
  auto queue = device->make_queue(0, "last").value_or_throw();
  device.reset();
  buffer->mapped()[0] = std::byte{1};
  CHECK(queue->completed().value_or_throw() == 0);
}
