// What a check found, as data. render.hpp turns it into text or JSON.
#pragma once

#include <antiphon/error.hpp>
#include <antiphon/place.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace antiphon {

enum class Severity { error, warning, note };

// A place with a word on what is there. `subject` is the thing by name ("channel a.x -> b.y"), for
// graphs that were built in code and have no file.
struct Mark {
  Place place;
  std::string subject;
  std::string label;
};

// A number of the graph that would have to change. All repairs of a diagnostic go together: they
// have been tried, and none can be left out.
struct Repair {
  enum class Of { capacity, initial, rate };
  Of of = Of::capacity;
  std::string channel;  // for a rate its port: "a.x"
  std::int64_t from = 0;
  std::int64_t to = 0;
  Place place;  // where the number stands, as far as known
};

struct Diagnostic {
  std::string_view code;  // "starved-cycle": one of rules()
  Severity severity = Severity::error;
  std::string message;                     // the headline: lower case, no full stop, stands alone
  std::vector<Mark> marks;                 // the first is the smallest place that shows the fault
  std::vector<std::string> notes;          // facts
  std::string help;                        // the way out; may be empty
  std::vector<Repair> repairs = {};        // what of the help is numbers of the graph
  std::vector<std::string> subjects = {};  // what `allow` may name: actors, resources
  std::string allowed = {};  // the graph's reason why it is all right; empty: it is not
};

enum class Verdict {
  valid,
  invalid,
  undecided,   // the budget ran out before an answer was found
  unreadable,  // the file holds no graph, so nothing was checked
};

// A rule of the check, declared once; documentation and messages are made from this.
struct Rule {
  std::string_view code;
  Severity severity;
  std::string_view summary;
  std::string_view explanation;
};
std::vector<Rule> rules();

struct ActorFacts {
  std::string name;
  std::int64_t repetitions = 0;  // cycles of its phases in one iteration
  std::int64_t firings = 0;      // repetitions x phases
};

struct ChannelFacts {
  std::string name;
  std::int64_t capacity =
      0;  // messages, chosen by the check where the graph says `auto`; 0: unbounded
  bool chosen = false;
};

// Bytes of all messages that channels can hold, by who reaches them. A plan may need more: it pads
// messages to what a device can address, and keeps windows in one piece.
struct MemoryFacts {
  std::int64_t host = 0;    // between CPU actors
  std::int64_t both = 0;    // with actors of either side at its ends
  std::int64_t device = 0;  // between GPU actors
};

struct Report {
  std::string graph;
  Verdict verdict = Verdict::valid;
  std::vector<Diagnostic> diagnostics;
  std::vector<ActorFacts> actors;      // empty when the rates do not fit
  std::vector<ChannelFacts> channels;  // empty when the graph is not valid
  MemoryFacts memory;                  // 0 when the graph is not valid
  std::string device;                  // that it was held against; empty: none
};

// A graph that cannot be planned. what() is the whole report as text.
class InvalidGraph : public Error {
 public:
  explicit InvalidGraph(Report report);
  const Report& report() const noexcept { return report_; }

 private:
  Report report_;
};

}  // namespace antiphon
