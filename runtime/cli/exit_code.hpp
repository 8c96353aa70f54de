// What the program's exit codes mean.
#pragma once

#include <antiphon/diagnostic.hpp>

namespace antiphon::cli {

enum ExitCode : int {
  all_valid = 0,
  some_invalid = 1,
  wrong_call = 2,  // also: an input could not be read
  undecided = 3,
};

inline ExitCode code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::valid:
      return all_valid;
    case Verdict::invalid:
      return some_invalid;
    case Verdict::undecided:
      return undecided;
    case Verdict::unreadable:
      return wrong_call;
  }
  return wrong_call;
}

// Of several files the weightiest result counts: 2 over 1 over 3 over 0.
inline ExitCode weightier(ExitCode a, ExitCode b) {
  const auto weight = [](ExitCode code) {
    switch (code) {
      case wrong_call:
        return 3;
      case some_invalid:
        return 2;
      case undecided:
        return 1;
      case all_valid:
        return 0;
    }
    return 3;
  };
  return weight(a) >= weight(b) ? a : b;
}

}  // namespace antiphon::cli
