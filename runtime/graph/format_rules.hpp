// What can be wrong with the text of a graph file. The check lists these beside its own rules.
#pragma once

#include <antiphon/diagnostic.hpp>

#include <array>

namespace antiphon::graph_rules {

// --- the file and its text
inline constexpr Rule unreadable_file{
    "unreadable-file", Severity::error, "the file cannot be opened or read",
    "It is missing, a folder, or may not be read. The message gives the system's own reason."};
inline constexpr Rule too_large{
    "too-large", Severity::error, "the file is larger than any graph should be",
    "Graph files are read whole; 256 MiB is the limit. A file of that size is rarely a graph."};
inline constexpr Rule empty_file{"empty-file", Severity::error, "the file holds nothing",
                                 "There is no text in it, or nothing but comments."};
inline constexpr Rule not_text{
    "not-text", Severity::error, "the file is not UTF-8 text",
    "Graph files are UTF-8. Control characters other than tabs and line ends, bytes that are no "
    "UTF-8, and other encodings are refused."};
inline constexpr Rule not_yaml{"not-yaml", Severity::error, "the text is neither YAML nor JSON",
                               "The place is where reading had to stop; the cause may stand a "
                               "little before it."};
inline constexpr Rule not_xml{"not-xml", Severity::error, "the text begins like XML and is not",
                              "A file whose first character is `<` is read as SDF3 XML."};
inline constexpr Rule cut_off{
    "cut-off", Severity::error, "the text ends in the middle",
    "A bracket, a quotation or an element that was opened is not closed before the end."};
inline constexpr Rule too_deep{"too-deep", Severity::error, "the text is nested too deeply",
                               "64 levels are the limit; no part of a graph needs more than 8."};
inline constexpr Rule several_documents{"several-documents", Severity::error,
                                        "the file holds more than one YAML document",
                                        "One file is one graph. `---` begins another document."};
inline constexpr Rule alias{
    "alias", Severity::error, "the text uses YAML anchors or aliases",
    "`&name` and `*name` are not part of the format: a few of them can stand for gigabytes. "
    "Parameters and named types do what they are mostly used for."};
inline constexpr Rule tag{
    "tag", Severity::error, "the text uses a YAML tag",
    "`!name` is not part of the format: what a value is follows from its key."};
inline constexpr Rule duplicate_key{"duplicate-key", Severity::error, "a key is given twice",
                                    "Only one of the two could count, and which is a guess."};

// --- keys and names
inline constexpr Rule not_a_graph{"not-a-graph", Severity::error,
                                  "the file holds something other than a graph",
                                  "A graph file is a map with the keys `format`, `actors` and "
                                  "`channels`, or an SDF3 file with an application graph."};
inline constexpr Rule unknown_format{
    "unknown-format", Severity::error, "the format's version is not known",
    "`format: 1` is what this version reads; for SDF3 files, the types sdf and csdf."};
inline constexpr Rule unknown_key{
    "unknown-key", Severity::error, "a key is not part of the format",
    "A misspelt key would otherwise be ignored. Keys that begin with `x-` are free for one's own "
    "use."};
inline constexpr Rule missing_key{"missing-key", Severity::error, "a key that is needed is missing",
                                  "The message says which, and of what."};
inline constexpr Rule wrong_kind{
    "wrong-kind", Severity::error, "a value is of the wrong kind",
    "There is a list where a map is needed, a text where a list is needed, and the like."};
inline constexpr Rule stray_properties{"stray-properties", Severity::error,
                                       "properties are given for an actor that is not there",
                                       "In SDF3 files `actorProperties` names the actor whose "
                                       "costs it gives. A slip in that name would "
                                       "leave an actor without its cost."};
inline constexpr Rule bad_name{
    "bad-name", Severity::error, "a name is empty or cannot be printed",
    "Names of actors, ports, parameters and types hold at least one character and no control "
    "characters."};
inline constexpr Rule bad_endpoint{
    "bad-endpoint", Severity::error, "an end of a channel is not `actor.port`",
    "A channel is `writer.port -> reader.port`. Names that contain dots, commas or arrows are "
    "written as `{actor: …, port: …}`."};

// --- numbers
inline constexpr Rule bad_number{"bad-number", Severity::error, "a number cannot be read",
                                 "Integers may be expressions: numbers, parameters, + - * / %, "
                                 "parentheses."};
inline constexpr Rule unknown_parameter{
    "unknown-parameter", Severity::error, "a parameter is used or set that the graph does not have",
    "Parameters are declared under `parameters`, before those that are computed from them."};
inline constexpr Rule number_too_large{
    "number-too-large", Severity::error, "a number is too large",
    "Numbers are 64-bit; rates, sizes and what they sum to over one cycle of phases stay within "
    "2^62."};
inline constexpr Rule division_by_zero{"division-by-zero", Severity::error,
                                       "an expression divides by zero",
                                       "With the parameters as they are set."};
inline constexpr Rule bad_rate{
    "bad-rate", Severity::error, "a rate cannot be read",
    "A rate is a number, a list with one number for each phase, `n*m` for n phases of m, or "
    "`{initial: […], then: […]}`."};
inline constexpr Rule negative_rate{"negative-rate", Severity::error, "a rate is negative",
                                    "A firing cannot take back what it sent. 0 is allowed."};
inline constexpr Rule bad_cost{
    "bad-cost", Severity::error, "a cost cannot be read",
    "A cost is a time with its unit (ns, us, ms, s), or a list of them, one for each phase."};
inline constexpr Rule negative_cost{"negative-cost", Severity::error, "a cost is negative",
                                    "A firing takes no less than no time."};
inline constexpr Rule bad_requirement{
    "bad-requirement", Severity::error, "a requirement cannot be read",
    "`require` has `throughput` (60/s, or a map from actors to such rates), `latency` (from, to, "
    "within and perhaps every) and `memory` (64 MiB)."};
inline constexpr Rule bad_allowance{
    "bad-allowance", Severity::error, "what is allowed is no warning, or has no reason",
    "`allow` maps the code of a warning to the reason why it is all right. Errors cannot be "
    "allowed."};
inline constexpr Rule negative_capacity{
    "negative-capacity", Severity::error, "a capacity is negative",
    "A capacity is a number of messages, or `auto` for the check to choose."};
inline constexpr Rule negative_initial{"negative-initial", Severity::error,
                                       "a number of initial messages is negative",
                                       "A channel starts with no message or more."};
inline constexpr Rule bad_concurrency{
    "bad-concurrency", Severity::error, "a concurrency is less than one",
    "So many firings of one actor may run at once: 1 or more, or `unlimited`."};

// --- types and values
inline constexpr Rule bad_size{"bad-size", Severity::error, "a size cannot be read",
                               "A size is a number with its unit: B, KiB, MiB, GiB, kB, MB, GB."};
inline constexpr Rule bad_type{
    "bad-type", Severity::error, "a type cannot be read",
    "A type is a scalar (float32), an array (float32[64][64]), a name from `types`, or a size "
    "(64 KiB)."};
inline constexpr Rule unknown_type{"unknown-type", Severity::error, "a type is not known",
                                   "It is neither a scalar nor declared under `types`."};
inline constexpr Rule recursive_type{"recursive-type", Severity::error, "a type contains itself",
                                     "Its size would be infinite."};
inline constexpr Rule bad_values{
    "bad-values", Severity::error, "initial values do not fit the channel",
    "`values` lists one entry for each initial message, of the channel's type."};

// --- actors
inline constexpr Rule bad_side{"bad-side", Severity::error, "a side is neither cpu nor gpu",
                               "Each actor runs on one of the two."};
inline constexpr Rule bad_flag{"bad-flag", Severity::error, "a flag is neither true nor false",
                               "`blocking` is `true` or `false`, and for CPU actors alone."};
inline constexpr Rule misplaced_kernel{
    "misplaced-kernel", Severity::error, "what belongs to a kernel stands where there is none",
    "Kernels belong to GPU actors; `groups`, `constants` and `entry` belong to a kernel."};
inline constexpr Rule bad_kernel{
    "bad-kernel", Severity::error, "a kernel's groups or constants cannot be used",
    "Groups are three numbers from 1 to 2^32-1; a constant is a 32-bit integer, float or boolean."};

inline constexpr std::array all{unreadable_file,
                                too_large,
                                empty_file,
                                not_text,
                                not_yaml,
                                not_xml,
                                cut_off,
                                too_deep,
                                several_documents,
                                alias,
                                tag,
                                duplicate_key,
                                not_a_graph,
                                unknown_format,
                                unknown_key,
                                missing_key,
                                wrong_kind,
                                stray_properties,
                                bad_name,
                                bad_endpoint,
                                bad_number,
                                unknown_parameter,
                                number_too_large,
                                division_by_zero,
                                bad_rate,
                                negative_rate,
                                bad_cost,
                                negative_cost,
                                bad_requirement,
                                bad_allowance,
                                negative_capacity,
                                negative_initial,
                                bad_concurrency,
                                bad_size,
                                bad_type,
                                unknown_type,
                                recursive_type,
                                bad_values,
                                bad_side,
                                bad_flag,
                                misplaced_kernel,
                                bad_kernel};

}  // namespace antiphon::graph_rules
