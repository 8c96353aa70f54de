#include "kernels/spirv_module.hpp"

#include <algorithm>
#include <bit>

namespace antiphon::kernels {

namespace {

constexpr std::size_t header_words = 5;
constexpr std::uint32_t magic = 0x07230203;
// The universal limit on ids; what reads a module makes tables of this size.
constexpr std::uint32_t most_ids = 4'194'303;

// Numbers of the SPIR-V specification, section 3.
enum Op : std::uint32_t {
  op_entry_point = 15,
  op_execution_mode = 16,
  op_type_bool = 20,
  op_type_int = 21,
  op_type_float = 22,
  op_type_vector = 23,
  op_type_matrix = 24,
  op_type_array = 28,
  op_type_struct = 30,
  op_type_pointer = 32,
  op_constant_true = 41,
  op_constant_false = 42,
  op_constant = 43,
  op_constant_composite = 44,
  op_spec_constant_true = 48,
  op_spec_constant_false = 49,
  op_spec_constant = 50,
  op_spec_constant_composite = 51,
  op_spec_constant_op = 52,
  op_variable = 59,
  op_store = 62,
  op_copy_memory = 63,
  op_copy_memory_sized = 64,
  op_access_chain = 65,
  op_in_bounds_access_chain = 66,
  op_ptr_access_chain = 67,
  op_in_bounds_ptr_access_chain = 70,
  op_decorate = 71,
  op_copy_object = 83,
  op_atomic_store = 228,
  op_atomic_exchange = 229,
  op_atomic_xor = 242,
  op_atomic_flag_test_and_set = 318,
  op_atomic_flag_clear = 319,
  op_execution_mode_id = 331,
  op_atomic_float_min = 5614,
  op_atomic_float_max = 5615,
  op_atomic_float_add = 6035,
};
constexpr std::uint32_t model_gl_compute = 5;
constexpr std::uint32_t mode_local_size = 17;
constexpr std::uint32_t mode_local_size_id = 38;
constexpr std::uint32_t decoration_spec_id = 1;
constexpr std::uint32_t decoration_built_in = 11;
constexpr std::uint32_t built_in_workgroup_size = 25;
constexpr std::uint32_t storage_workgroup = 4;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// The literal that begins at the first word: bytes in the words' order, up to a zero.
std::string literal(std::span<const std::uint32_t> words) {
  std::string text;
  for (const auto word : words) {
    for (int shift = 0; shift < 32; shift += 8) {
      const auto c = static_cast<char>((word >> shift) & 0xff);
      if (c == '\0') return text;
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string fault_of_form(std::span<const std::uint32_t> spirv) {
  if (spirv.size() < header_words) return "it has fewer than the five words of a header";
  if (spirv[0] == 0x03022307) return "its bytes are in the order of another machine";
  if (spirv[0] != magic) return "it does not begin with SPIR-V's number";
  if (spirv[1] < 0x00010000 || spirv[1] > 0x00010600 || (spirv[1] & 0xff) != 0) {
    return "it is of no version from 1.0 to 1.6";
  }
  if (spirv[3] == 0 || spirv[3] > most_ids) return "its bound on ids is out of range";
  for (std::size_t at = header_words; at < spirv.size();) {
    const std::size_t words = spirv[at] >> 16;
    if (words == 0) return "the instruction at word " + std::to_string(at) + " has no words";
    if (words > spirv.size() - at)
      return "it is cut off in the instruction at word " + std::to_string(at);
    at += words;
  }
  return {};
}

SpecialisedModule::SpecialisedModule(
    std::span<const std::uint32_t> spirv,
    std::span<const std::pair<std::uint32_t, std::uint32_t>> constants) {
  given_.insert(constants.begin(), constants.end());
  for (std::size_t at = header_words; at < spirv.size(); at += spirv[at] >> 16) {
    read(spirv[at] & 0xffff, spirv.subspan(at + 1, (spirv[at] >> 16) - 1));
  }
}

void SpecialisedModule::read(std::uint32_t op, std::span<const std::uint32_t> words) {
  switch (op) {
    case op_entry_point:
      if (words[0] == model_gl_compute) entries_.push_back({words[1], literal(words.subspan(2))});
      break;
    case op_execution_mode:
      if (words[1] == mode_local_size) local_sizes_[words[0]] = {words[2], words[3], words[4]};
      break;
    case op_execution_mode_id:
      if (words[1] == mode_local_size_id)
        local_size_ids_[words[0]] = {words[2], words[3], words[4]};
      break;
    case op_decorate:
      if (words[1] == decoration_spec_id) spec_ids_[words[0]] = words[2];
      if (words[1] == decoration_built_in && words[2] == built_in_workgroup_size)
        workgroup_size_ = words[0];
      break;
    case op_variable:
      if (words[2] == storage_workgroup) shared_.push_back(words[0]);
      break;
    default:
      read_type(op, words);
      read_constant(op, words);
      read_access(op, words);
  }
}

// Pointers are defined before they are used, in the order of the words.
void SpecialisedModule::read_access(std::uint32_t op, std::span<const std::uint32_t> words) {
  const auto written = [&](std::uint32_t pointer) {
    const auto found = variable_of_.find(pointer);
    written_.insert(found == variable_of_.end() ? pointer : found->second);
  };
  switch (op) {
    case op_access_chain:
    case op_in_bounds_access_chain:
    case op_ptr_access_chain:
    case op_in_bounds_ptr_access_chain:
    case op_copy_object: {
      const auto base = variable_of_.find(words[2]);
      variable_of_[words[1]] = base == variable_of_.end() ? words[2] : base->second;
      break;
    }
    case op_store:
    case op_copy_memory:
    case op_copy_memory_sized:
    case op_atomic_store:
    case op_atomic_flag_clear:
      written(words[0]);
      break;
    case op_atomic_flag_test_and_set:
    case op_atomic_float_add:
    case op_atomic_float_min:
    case op_atomic_float_max:
      written(words[2]);
      break;
    default:
      if (op >= op_atomic_exchange && op <= op_atomic_xor) written(words[2]);
  }
}

bool SpecialisedModule::has_constant(std::uint32_t spec_id) const {
  return std::any_of(spec_ids_.begin(), spec_ids_.end(),
                     [&](const auto& entry) { return entry.second == spec_id; });
}

void SpecialisedModule::read_type(std::uint32_t op, std::span<const std::uint32_t> words) {
  switch (op) {
    case op_type_bool:
      layouts_[words[0]] = {4, 4};
      break;
    case op_type_int:
    case op_type_float:
      layouts_[words[0]] = {words[1] / 8, words[1] / 8};
      break;
    case op_type_vector: {
      const auto element = layout(words[1]);
      if (!element.bytes) break;
      layouts_[words[0]] = {*element.bytes * words[2], *element.bytes * (words[2] == 2 ? 2 : 4)};
      break;
    }
    case op_type_matrix:
    case op_type_array: {
      const auto element = layout(words[1]);
      const auto count = op == op_type_matrix ? std::optional(words[2]) : value(words[2]);
      auto& made = layouts_[words[0]];
      made.alignment = element.alignment;
      if (element.bytes && count) {
        const auto stride = round_up(*element.bytes, element.alignment);
        // Beyond this no device has anything: further up, sums could wrap.
        constexpr std::uint64_t most = std::uint64_t{1} << 48;
        made.bytes = stride > most / std::max<std::uint64_t>(*count, 1) ? most : stride * *count;
      }
      break;
    }
    case op_type_struct: {
      Layout made{0, 1};
      for (const auto member : words.subspan(1)) {
        const auto part = layout(member);
        if (!part.bytes) made.bytes.reset();
        if (made.bytes) made.bytes = round_up(*made.bytes, part.alignment) + *part.bytes;
        made.alignment = std::max(made.alignment, part.alignment);
      }
      if (made.bytes) made.bytes = round_up(*made.bytes, made.alignment);
      layouts_[words[0]] = made;
      break;
    }
    case op_type_pointer:
      pointees_[words[0]] = words[2];
      break;
    default:
      break;
  }
}

void SpecialisedModule::read_constant(std::uint32_t op, std::span<const std::uint32_t> words) {
  const auto given = [&](std::uint32_t otherwise) {
    const auto spec_id = spec_ids_.find(words[1]);
    if (spec_id == spec_ids_.end()) return otherwise;
    const auto found = given_.find(spec_id->second);
    return found == given_.end() ? otherwise : found->second;
  };
  switch (op) {
    case op_constant_true:
      values_[words[1]] = 1;
      break;
    case op_constant_false:
      values_[words[1]] = 0;
      break;
    case op_spec_constant_true:
      values_[words[1]] = given(1) != 0 ? 1 : 0;
      break;
    case op_spec_constant_false:
      values_[words[1]] = given(0) != 0 ? 1 : 0;
      break;
    case op_constant:
      if (words.size() == 3) values_[words[1]] = words[2];
      break;
    case op_spec_constant:
      if (words.size() == 3) values_[words[1]] = given(words[2]);
      break;
    case op_constant_composite:
    case op_spec_constant_composite:
      composites_[words[1]] = {words.begin() + 2, words.end()};
      break;
    case op_spec_constant_op:
      if (const auto result = evaluate(words[2], words.subspan(3))) values_[words[1]] = *result;
      break;
    default:
      break;
  }
}

// The operations on whole numbers that sizes are computed with.
std::optional<std::uint32_t> SpecialisedModule::evaluate(
    std::uint32_t op, std::span<const std::uint32_t> operands) const {
  std::array<std::uint32_t, 3> x{};
  if (operands.size() > x.size()) return {};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto operand = value(operands[i]);
    if (!operand) return {};
    x[i] = *operand;
  }
  const auto as_int = [](std::uint32_t bits) { return std::bit_cast<std::int32_t>(bits); };
  const bool divides = x[1] != 0 && !(x[0] == 0x8000'0000 && x[1] == 0xffff'ffff);
  switch (op) {
    case 124:
      return x[0];  // Bitcast
    case 126:
      return 0 - x[0];  // SNegate
    case 128:
      return x[0] + x[1];  // IAdd
    case 130:
      return x[0] - x[1];  // ISub
    case 132:
      return x[0] * x[1];  // IMul
    case 134:
      return x[1] != 0 ? std::optional(x[0] / x[1]) : std::nullopt;  // UDiv
    case 135:                                                        // SDiv
      return divides ? std::optional(static_cast<std::uint32_t>(as_int(x[0]) / as_int(x[1])))
                     : std::nullopt;
    case 137:
      return x[1] != 0 ? std::optional(x[0] % x[1]) : std::nullopt;  // UMod
    case 169:
      return x[0] != 0 ? x[1] : x[2];  // Select
    case 170:
      return x[0] == x[1] ? 1 : 0;  // IEqual
    case 171:
      return x[0] != x[1] ? 1 : 0;  // INotEqual
    case 172:
      return x[0] > x[1] ? 1 : 0;  // UGreaterThan
    case 173:
      return as_int(x[0]) > as_int(x[1]) ? 1 : 0;  // SGreaterThan
    case 174:
      return x[0] >= x[1] ? 1 : 0;  // UGreaterThanEqual
    case 175:
      return as_int(x[0]) >= as_int(x[1]) ? 1 : 0;  // SGreaterThanEqual
    case 176:
      return x[0] < x[1] ? 1 : 0;  // ULessThan
    case 177:
      return as_int(x[0]) < as_int(x[1]) ? 1 : 0;  // SLessThan
    case 178:
      return x[0] <= x[1] ? 1 : 0;  // ULessThanEqual
    case 179:
      return as_int(x[0]) <= as_int(x[1]) ? 1 : 0;  // SLessThanEqual
    case 194:
      return x[1] < 32 ? std::optional(x[0] >> x[1]) : std::nullopt;  // ShiftRightLogical
    case 196:
      return x[1] < 32 ? std::optional(x[0] << x[1]) : std::nullopt;  // ShiftLeftLogical
    case 197:
      return x[0] | x[1];  // BitwiseOr
    case 198:
      return x[0] ^ x[1];  // BitwiseXor
    case 199:
      return x[0] & x[1];  // BitwiseAnd
    case 200:
      return ~x[0];  // Not
    default:
      return {};
  }
}

std::optional<std::uint32_t> SpecialisedModule::value(std::uint32_t id) const {
  const auto found = values_.find(id);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

SpecialisedModule::Layout SpecialisedModule::layout(std::uint32_t type) const {
  const auto found = layouts_.find(type);
  return found == layouts_.end() ? Layout{} : found->second;
}

std::optional<std::array<std::uint32_t, 3>> SpecialisedModule::workgroup(
    const ComputeEntry& entry) const {
  std::array<std::uint32_t, 3> ids{};
  if (workgroup_size_) {
    const auto parts = composites_.find(*workgroup_size_);
    if (parts == composites_.end() || parts->second.size() != ids.size()) return {};
    std::copy_n(parts->second.begin(), ids.size(), ids.begin());
  } else if (const auto by_id = local_size_ids_.find(entry.id); by_id != local_size_ids_.end()) {
    ids = by_id->second;
  } else {
    const auto literals = local_sizes_.find(entry.id);
    return literals == local_sizes_.end() ? std::nullopt : std::optional(literals->second);
  }
  std::array<std::uint32_t, 3> size{};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto number = value(ids[i]);
    if (!number) return {};
    size[i] = *number;
  }
  return size;
}

std::optional<std::uint64_t> SpecialisedModule::shared_memory() const {
  std::uint64_t bytes = 0;
  for (const auto pointer : shared_) {
    const auto pointee = pointees_.find(pointer);
    const auto made = pointee == pointees_.end() ? Layout{} : layout(pointee->second);
    if (!made.bytes) return {};
    bytes = round_up(bytes, made.alignment) + *made.bytes;
  }
  return bytes;
}

}  // namespace antiphon::kernels
