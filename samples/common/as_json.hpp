// The two orders of any plan side by side, for samples that print what their actors say.
#pragma once

#include <antiphon/runtime.hpp>

#include <string>

namespace samples {

// Whether --json was asked for. Throws Error{misuse} when anything else was.
bool wants_json(int argc, char** argv);

// Runs the plan in both orders, with standard output silent meanwhile, and prints the comparison
// as JSON. Returns the program's exit code.
int print_json(antiphon::Runtime& runtime, const antiphon::Plan& plan, const std::string& sample);

}  // namespace samples
