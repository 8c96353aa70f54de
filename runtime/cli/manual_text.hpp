// The sections of the manual page that no declaration holds, in man's own language (man(7)). The
// verbs and their options stand between the two parts.
#pragma once

#include <string_view>

namespace antiphon::cli {

inline constexpr std::string_view manual_before_verbs = R"(.SH DESCRIPTION
.B antiphon
checks graphs of actors on the CPU and the GPU before they run.
An actor fires again and again; a firing takes messages from the actor's inputs and sends messages from its
outputs, over channels that hold so many messages and no more.
That the rates fit, that the graph can never stop for want of messages or room, how fast it can be and how
large its channels must be follows from the graph alone: no GPU, driver or Vulkan loader is needed.
.PP
Graphs are read as YAML, JSON or SDF3 XML; which of them a file is, its text says and not its name.
.B \-
is the standard input.
)";

inline constexpr std::string_view manual_after_verbs = R"(.SH EXIT STATUS
.TP
.B 0
All graphs are valid; what was asked for is done.
.TP
.B 1
A graph is invalid.
.TP
.B 2
A file could not be read or written, or the call is wrong.
.TP
.B 3
A graph, or a number that was asked for, is undecided: the budget ran out.
.PP
Of several files the weightiest counts: 2 over 1 over 3 over 0.
.SH ENVIRONMENT
.TP
.B NO_COLOR
Where it is set and not empty, output is coloured only on request.
.TP
.B PATH
.B antiphon show \-\-format svg
finds Graphviz's program
.BR dot (1)
there.
.SH FILES
A graph file begins like this; the file format.md of the documentation has the rest.
.PP
.in +4n
.nf
format: 1
graph: hello
actors:
  count:  {side: cpu, out: {n: int32}}
  square: {side: gpu, kernel: square.comp, in: {x: int32}, out: {y: int32}}
  print:  {side: cpu, in: {n: int32}}
channels:
  \- count.n \-> square.x
  \- square.y \-> print.n
.fi
.in
.SH EXAMPLES
Is the graph right, with another width?
.PP
.in +4n
.nf
antiphon check blur.yaml \-D width=1920
.fi
.in
.PP
What does a finding mean?
.PP
.in +4n
.nf
antiphon explain deadlock\-capacity
.fi
.in
.PP
How fast can it be, and how large must its channels be for that?
.PP
.in +4n
.nf
antiphon bounds blur.yaml
antiphon size blur.yaml
.fi
.in
.PP
A picture of it, with what is wrong in red:
.PP
.in +4n
.nf
antiphon show \-\-format svg blur.yaml > blur.svg
.fi
.in
.PP
The same graph for other tools:
.PP
.in +4n
.nf
antiphon convert blur.yaml blur.xml
.fi
.in
.SH SEE ALSO
.BR dot (1)
)";

}  // namespace antiphon::cli
