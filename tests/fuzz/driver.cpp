// Runs a fuzz target without libFuzzer: on its seeds, and on random edits of them that are the same
// each time.
//
//   fuzz_NAME --runs=N --unit=BYTES [--dictionary=FILE] SEED…
//
// With ANTIPHON_FUZZ_SECONDS=S in the environment it goes on with further edits until so much time
// has passed. A SEED is a file. Edits are aligned to so many bytes: 4 for what is made of words. An
// input that ends the program, or takes longer than `most_seconds`, is left in fuzz_NAME.finding; a
// run of that file alone (--runs=0) shows it again.
#include "fuzz/fuzz.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

// The sanitizers', where they are linked in.
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace {

constexpr unsigned most_seconds = 20;
constexpr std::size_t most_bytes = 16'384;

std::string current;       // the input that is tried
std::string finding_path;  // where it goes when it ends the program

// Only what a signal handler may call.
void keep_current() {
  const int file = ::open(finding_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  const auto written = ::write(file, current.data(), current.size());
  static_cast<void>(written);
  ::close(file);
}

void on_signal(int signal) {
  keep_current();
  constexpr std::string_view text =
      "the input is kept as fuzz_*.finding in the folder of this run\n";
  const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

[[noreturn]] void misused(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) misused("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

// The lines of a libFuzzer dictionary: "text", with \\, \" and \xHH in it, and comments.
std::vector<std::string> dictionary(const std::filesystem::path& path) {
  std::vector<std::string> words;
  std::ifstream in(path);
  if (!in) misused("cannot read " + path.string());
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.size() < 2 || line.front() != '"' || line.back() != '"') misused("no entry: " + line);
    std::string word;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
      if (line[i] != '\\') {
        word += line[i];
      } else if (line[++i] != 'x') {
        word += line[i];
      } else {
        unsigned value = 0;
        std::from_chars(&line[i + 1], &line[i + 1] + 2, value, 16);
        word += static_cast<char>(value);
        i += 2;
      }
    }
    words.push_back(word);
  }
  return words;
}

class Editor {
 public:
  Editor(std::vector<std::string> seeds, std::vector<std::string> words, std::size_t unit)
      : seeds_(std::move(seeds)), words_(std::move(words)), unit_(unit) {}

  std::string next() {
    auto text = seeds_[below(seeds_.size())];
    for (auto edits = 1 + below(4); edits > 0; --edits) edit(text);
    if (text.size() > most_bytes) text.resize(most_bytes);
    return text;
  }

 private:
  // By remainder, so that every standard library draws the same.
  std::size_t below(std::size_t most) { return static_cast<std::size_t>(random_() % most); }
  std::size_t place(const std::string& text) { return below(text.size() / unit_ + 1) * unit_; }

  void edit(std::string& text) {
    const auto at = place(text);
    switch (below(words_.empty() ? 5 : 8)) {
      case 0:
        text.erase(at, (1 + below(8)) * unit_);
        break;
      case 1:
        text.insert(at, text.substr(place(text), (1 + below(40)) * unit_));
        break;
      case 2: {
        const auto& other = seeds_[below(seeds_.size())];
        text.insert(at, other.substr(place(other), (1 + below(40)) * unit_));
        break;
      }
      case 3:
        for (std::size_t i = at; i < std::min(at + unit_, text.size()); ++i) {
          text[i] = static_cast<char>(below(256));
        }
        break;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      default:
        text.insert(at, words_[below(words_.size())]);
        break;
    }
  }

  std::vector<std::string> seeds_;
  std::vector<std::string> words_;
  std::size_t unit_;
  std::mt19937 random_{20240607};
};

void try_input(std::string input) {
  current = std::move(input);
  ::alarm(most_seconds);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
  ::alarm(0);
}

std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    misused("not a number: " + std::string(text));
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t runs = 0;
  std::size_t unit = 1;
  std::vector<std::string> words;
  std::vector<std::string> seeds;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--runs=")) {
      runs = number(argument.substr(7));
    } else if (argument.starts_with("--unit=")) {
      unit = std::max<std::size_t>(number(argument.substr(7)), 1);
    } else if (argument.starts_with("--dictionary=")) {
      words = dictionary(argument.substr(13));
    } else {
      seeds.push_back(content(argument));
    }
  }
  if (seeds.empty()) misused("no seeds are given");
  finding_path = std::filesystem::path(argv[0]).filename().string() + ".finding";
  for (const int signal : {SIGABRT, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, on_signal);
  }
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_current);

  const auto begin = std::chrono::steady_clock::now();
  for (const auto& seed : seeds) try_input(seed);
  if (fuzz::understood == 0) fuzz::fault("not one of the seeds is understood");
  const auto seeds_understood = fuzz::understood;
  Editor editor(seeds, words, unit);
  for (std::size_t i = 0; i < runs; ++i) try_input(editor.next());
  if (const auto* seconds = std::getenv("ANTIPHON_FUZZ_SECONDS")) {
    const auto until = begin + std::chrono::seconds(number(seconds));
    for (; std::chrono::steady_clock::now() < until; ++runs) try_input(editor.next());
  }
  const auto edits_understood = fuzz::understood - seeds_understood;
  std::printf("%zu of %zu seeds and %zu of %zu edits of them were understood\n", seeds_understood,
              seeds.size(), edits_understood, runs);
  if (runs > 0 && edits_understood < runs / 200) fuzz::fault("hardly an edit is understood");
  return 0;
}
