#include "kernels/glsl.hpp"

#include <filesystem>
#include <fstream>

using namespace antiphon;
using namespace antiphon::kernels;

namespace {

namespace fs = std::filesystem;

// A folder that goes with its test.
class Folder {
 public:
  Folder() {
    path_ = (fs::temp_directory_path() / "antiphon-kernels-XXXXXX").string();
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return (fs::path(path_) / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::string path_;
};

constexpr const char* fine = R"(#version 450
layout(local_size_x = 4) in;
layout(std430, set = 0, binding = 0) buffer X { int x[]; };
void main() { x[gl_GlobalInvocationID.x] = 1; }
)";

Failure failure_of(const Kernel& kernel) {
  const auto words = compile(kernel);
  REQUIRE(!words);
  return words.failure();
}

bool says(const Failure& failure, const std::string& text) {
  return failure.message.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("GLSL is compiled, from a file or from a text, and SPIR-V is taken as it is") {
  const Folder folder;
  const auto words = spirv_of(fine);
  CHECK(interface_of(words).workgroup[0] == 4);
  const auto from_file = compile(Kernel::from_file(folder.write("fine.comp", fine)));
  REQUIRE(from_file);
  CHECK(interface_of(*from_file).bindings.size() == 1);

  const std::string bytes(reinterpret_cast<const char*>(words.data()),
                          words.size() * sizeof(std::uint32_t));
  const auto from_binary = compile(Kernel::from_file(folder.write("fine.spv", bytes)));
  REQUIRE(from_binary);
  CHECK(*from_binary == words);
  const auto given = compile(Kernel(words));
  REQUIRE(given);
  CHECK(*given == words);
}

TEST_CASE("the compiler's message has the file and the line") {
  const Folder folder;
  const auto path = folder.write("wrong.comp", "#version 450\nvoid main() {\n  int x = y;\n}\n");
  const auto failure = failure_of(Kernel::from_file(path));
  CHECK(failure.kind == ErrorKind::invalid_graph);
  CHECK_MESSAGE(says(failure, path + ":3: error:"), failure.message);
  CHECK(says(failure, "'y'"));
  CHECK(says(failure_of(Kernel::from_glsl("#version 450\nint main(", "inline.comp")),
             "inline.comp:2: error:"));
  CHECK(says(failure_of(Kernel::from_file(folder.write("empty.comp", ""))),
             "empty.comp:1: error: there is no #version"));
  CHECK(says(failure_of(Kernel::from_glsl("// old\n #  version 110\nvoid main() {}", "old.comp")),
             "old.comp:2: error: GLSL of version 110"));
}

TEST_CASE("a shader includes what lies beside it") {
  const Folder folder;
  folder.write("gain.glsl", "const int gain = 3;\n");
  const auto path = folder.write("main.comp", R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "gain.glsl"
layout(local_size_x = gain) in;
void main() {}
)");
  const auto words = compile(Kernel::from_file(path));
  REQUIRE_MESSAGE(words, (words ? "" : words.failure().message));
  CHECK(interface_of(*words).workgroup[0] == 3);
  const auto lost = folder.write("lost.comp",
                                 "#version 450\n#extension GL_GOOGLE_include_directive : require\n"
                                 "#include \"nowhere.glsl\"\nvoid main() {}\n");
  const auto failure = failure_of(Kernel::from_file(lost));
  CHECK_MESSAGE(says(failure, "lost.comp:3"), failure.message);
  CHECK(says(failure, "nowhere.glsl"));
}

TEST_CASE("a file that is no kernel is named, and why") {
  const Folder folder;
  const auto missing = failure_of(Kernel::from_file(folder.path("missing.comp")));
  CHECK(missing.kind == ErrorKind::unreadable);
  CHECK(says(missing, "missing.comp"));
  CHECK(says(missing, "no such file"));
  fs::create_directory(folder.path("folder.comp"));
  CHECK(says(failure_of(Kernel::from_file(folder.path("folder.comp"))), "no regular file"));
  const auto cut = failure_of(Kernel::from_file(folder.write("cut.spv", "12345")));
  CHECK(cut.kind == ErrorKind::unreadable);
  CHECK(says(cut, "it has 5 bytes"));
  CHECK(says(failure_of(Kernel::from_file(folder.write("none.spv", ""))), "it has 0 bytes"));
}
