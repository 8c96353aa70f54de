#include "base/int128.hpp"
#include "check/devices.hpp"
#include "check/kernels.hpp"
#include "graph/channel_type.hpp"
#include "graph/plan_rules.hpp"
#include "plan/placed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace antiphon::plan {

namespace {

// More sets of windows than this for one actor are refused: each is a descriptor set.
constexpr std::int64_t most_windows = 65536;

// Which actor and port a channel's end is.
struct End {
  std::size_t actor = 0;
  std::size_t port = 0;
};

// Actors by name, and ports by name; more actors may come.
class Ends {
 public:
  void add(const ActorModel& actor) {
    const auto index = ports_.size();
    actors_.emplace(actor.name, index);
    auto& ports = ports_.emplace_back();
    for (std::size_t p = 0; p < actor.ports.size(); ++p) ports.emplace(actor.ports[p].name, p);
  }
  bool has_actor(const std::string& name) const { return actors_.count(name) != 0; }
  End find(const Endpoint& end) const {
    const auto actor = actors_.at(end.actor);
    return {actor, ports_[actor].at(end.port)};
  }

 private:
  std::unordered_map<std::string, std::size_t> actors_;
  std::vector<std::unordered_map<std::string, std::size_t>> ports_;
};

class Placer {
 public:
  Placer(std::shared_ptr<const analysis::CheckedGraph> checked,
         std::shared_ptr<device::Device> device)
      : result_(std::make_shared<Placed>()),
        model_(checked->model()),
        capacities_(checked->capacities()) {
    result_->checked = std::move(checked);
    result_->device = std::move(device);
    result_->graph_actors = model_.actors.size();
    for (const auto& actor : model_.actors) ends_.add(actor);
    report_ = result_->checked->report();
  }

  std::variant<std::shared_ptr<const Placed>, Unplaced> run() {
    refuse_unbound();
    if (result_->device) refuse_device();
    if (report_.verdict != Verdict::valid) return Unplaced{std::move(report_), {}};
    // Channels are added behind the graph's own while these are visited.
    for (std::size_t c = 0; c < model_.channels.size(); ++c) {
      if (auto done = place_channel(c); !done) return Unplaced{std::nullopt, done.failure()};
    }
    // The relation keeps to the capacities that were checked; the slots beyond them keep windows
    // whole.
    result_->relation = relation::build(model_, &capacities_);
    place_actors();
    for (std::size_t a = 0; a < result_->graph_actors; ++a) {
      if (model_.actors[a].side != Side::gpu) continue;
      const auto& kernel = result_->checked->kernels()[a];
      if (!kernel) {
        return Unplaced{
            std::nullopt,
            {ErrorKind::misuse, "a graph whose kernels were not checked can't be planned"}};
      }
      if (auto done = make_kernel(model_.actors[a], *kernel, result_->actors[a]); !done) {
        return Unplaced{std::nullopt, done.failure()};
      }
    }
    rank();
    return std::shared_ptr<const Placed>(std::move(result_));
  }

 private:
  void refuse(const Rule& rule, std::string message, Mark mark, std::string help) {
    Diagnostic d;
    d.code = rule.code;
    d.message = std::move(message);
    d.marks.push_back(std::move(mark));
    d.help = std::move(help);
    report_.diagnostics.push_back(std::move(d));
    report_.verdict = Verdict::invalid;
  }

  // What only matters to those who run a graph: a file has no functions.
  void refuse_unbound() {
    for (const auto& actor : model_.actors) {
      const Mark mark{actor.place, "actor " + actor.name, ""};
      if (actor.side == Side::cpu && !actor.function) {
        refuse(plan_rules::unbound_actor,
               fmt::format("actor '{}' has no function to run", actor.name), mark,
               fmt::format("bind one before planning: graph.bind(\"{}\", …)", actor.name));
      }
      if (actor.side == Side::gpu && !actor.kernel) {
        refuse(plan_rules::unbound_actor,
               fmt::format("actor '{}' has no kernel to run", actor.name), mark,
               "name one under `kernel:`, or bind one before planning");
      }
    }
    for (std::size_t c = 0; c < model_.channels.size(); ++c) {
      if (capacities_[c] > 0) continue;
      const auto name = display_name(model_.channels[c]);
      refuse(plan_rules::unbounded_channel,
             fmt::format("channel '{}' has no capacity, so it can't be given memory", name),
             {model_.channels[c].place, name, ""},
             "SDF3 files are for analysis: to run this graph, write it in antiphon's own format");
    }
  }

  void refuse_device() {
    const auto before = report_.diagnostics.size();
    report_.device = result_->device->profile().name;
    check_device(result_->checked->subject(), result_->checked->kernels(),
                 result_->device->profile(), report_.diagnostics);
    if (report_.diagnostics.size() > before) report_.verdict = Verdict::invalid;
  }

  const Port& port_of(const Endpoint& end) const {
    const auto [actor, port] = ends_.find(end);
    return model_.actors[actor].ports[port];
  }
  bool on_gpu(const Endpoint& end) const {
    return model_.actors[ends_.find(end).actor].side == Side::gpu;
  }

  std::size_t device_alignment() const {
    return result_->device ? result_->device->profile().storage_offset_alignment : 1;
  }

  std::optional<RingLayout> lay_out_channel(const ChannelModel& channel, std::int64_t capacity,
                                            const MessageType& type, NoLayout& why) const {
    std::vector<RingEnd> ends;
    ends.push_back({&port_of(channel.from).rate, channel.initial, on_gpu(channel.from)});
    for (const auto& to : channel.to) {
      ends.push_back({&port_of(to).rate, 0, on_gpu(to)});
    }
    return lay_out({ends, type.size, type.alignment, device_alignment(), capacity}, &why);
  }

  Status place_channel(std::size_t c) {
    const auto& channel = model_.channels[c];
    std::vector<const Port*> readers;
    for (const auto& to : channel.to) readers.push_back(&port_of(to));
    const auto type = type_of(channel, port_of(channel.from), readers);

    PlacedRing ring;
    ring.channel = display_name(channel);
    ring.type = type;
    ring.capacity = capacities_[c];
    ring.initial = channel.initial;
    ring.initial_values = channel.initial_values;

    NoLayout why;
    auto layout = lay_out_channel(channel, ring.capacity, type, why);
    if (!layout && why.copy_helps) {
      if (auto done = realign(c, type); !done) return done;
      ring.realigned = true;
      layout = lay_out_channel(model_.channels[c], ring.capacity, type, why);
    }
    if (!layout) {
      return Failure{ErrorKind::unsupported,
                     fmt::format("channel '{}' can't be laid out: {}", ring.channel, why.reason)};
    }
    ring.layout = std::move(*layout);

    const auto& placed = model_.channels[c];
    const bool device_writes = on_gpu(placed.from);
    bool device_reads = false;
    bool host_reads = false;
    for (const auto& to : placed.to) (on_gpu(to) ? device_reads : host_reads) = true;
    const bool host_writes = !device_writes || ring.initial > 0;
    ring.on_device = device_writes || device_reads;
    using device::HostAccess;
    ring.access = host_writes && host_reads ? HostAccess::read_write
                  : host_writes             ? HostAccess::write
                  : host_reads              ? HostAccess::read
                                            : HostAccess::none;
    result_->rings.push_back(std::move(ring));
    return {};
  }

  // Puts a copy actor between the writer of channel `c` and each of its readers: it moves one
  // message in each firing, so that both rings can be laid out to their own ends. Storage is only
  // added, which takes nothing from liveness.
  Status realign(std::size_t c, const MessageType& type) {
    if (!type.trivial() && type.copy == nullptr) {
      return Failure{
          ErrorKind::unsupported,
          fmt::format("channel '{}': its rates and initial messages need a copy to realign it, "
                      "and its message type can't be copied",
                      display_name(model_.channels[c]))};
    }
    const auto name = display_name(model_.channels[c]);
    auto readers = std::exchange(model_.channels[c].to, {});
    if (model_.channels[c].name.empty()) model_.channels[c].name = name;
    for (auto& reader : readers) {
      ActorModel copy;
      copy.name =
          fmt::format("copy {} -> {}.{}", model_.channels[c].from.actor, reader.actor, reader.port);
      while (ends_.has_actor(copy.name)) copy.name += '+';  // somebody's actor has this name
      copy.side = Side::cpu;
      copy.ports = {{Direction::in, "in", 1, type, {}}, {Direction::out, "out", 1, type, {}}};
      copy.function = CpuFunction::raw([size = type.size, by = type.copy](const Firing& firing) {
        const auto& from = firing.window(0);
        const auto& to = firing.window(1);
        if (by != nullptr) {
          by(to.data, from.data);
        } else {
          std::memcpy(to.data, from.data, size);
        }
        return Flow::more;
      });
      ChannelModel out;
      out.from = {copy.name, "out", {}};
      out.to = {reader};
      out.name = name + " (realigned)";
      const auto most = port_of(reader).rate.max();
      capacities_.push_back(std::max(capacities_[c], most + 1));
      model_.channels[c].to.push_back({copy.name, "in", {}});
      ends_.add(copy);
      model_.actors.push_back(std::move(copy));
      model_.channels.push_back(std::move(out));
    }
    return {};
  }

  void place_actors() {
    std::vector<std::vector<PlacedPort>> ports;
    for (const auto& actor : model_.actors) {
      auto& of = ports.emplace_back();
      for (const auto& port : actor.ports) of.push_back({0, 0, port.rate});
    }
    const auto place_end = [&](const Endpoint& end, std::uint32_t ring, std::int64_t start) {
      const auto [actor, port] = ends_.find(end);
      ports[actor][port].ring = ring;
      ports[actor][port].start = start;
    };
    for (std::uint32_t c = 0; c < model_.channels.size(); ++c) {
      const auto& channel = model_.channels[c];
      const auto& layout = result_->rings[c].layout;
      place_end(channel.from, c, layout.slot_of(channel.initial));
      for (const auto& to : channel.to) place_end(to, c, layout.slot_of(0));
    }
    for (std::size_t a = 0; a < model_.actors.size(); ++a) {
      const auto& actor = model_.actors[a];
      const auto& timeline = result_->relation.timelines[a];
      PlacedActor placed;
      placed.name = actor.name;
      placed.side = actor.side;
      placed.function = actor.function;
      placed.concurrency = actor.concurrency;
      placed.blocking = actor.blocking;
      placed.initial_firings = timeline.initial_phases;
      placed.ports = std::move(ports[a]);
      placed.firings_per_iteration =
          a < result_->graph_actors ? result_->checked->repetitions()[a] * timeline.phases : 0;
      result_->actors.push_back(std::move(placed));
    }
    // A copy actor moves, one by one, what its reader takes in an iteration.
    for (std::size_t c = 0; c < model_.channels.size(); ++c) {
      const auto& channel = model_.channels[c];
      const auto from = ends_.find(channel.from).actor;
      if (from < result_->graph_actors) continue;
      const auto reader = ends_.find(channel.to.front()).actor;
      const auto& rate = port_of(channel.to.front()).rate;
      auto& copy = result_->actors[from];
      copy.firings_per_iteration =
          result_->actors[reader].firings_per_iteration / rate.phases() * rate.sum();
      copy.initial_firings = rate.total(result_->actors[reader].initial_firings);
    }
  }

  Status make_kernel(const ActorModel& actor, const analysis::ActorKernel& read,
                     PlacedActor& placed) {
    if (auto done = set_recurrence(actor, placed); !done) return done;
    set_groups(actor, placed, read.interface.workgroup);

    device::KernelSpec spec;
    spec.name = actor.name;
    spec.spirv = read.spirv;
    spec.entry = actor.kernel->entry();
    spec.constants = actor.kernel->constants();
    spec.bindings = static_cast<std::uint32_t>(actor.ports.size());
    auto kernel = result_->device->make_kernel(spec);
    if (!kernel) return kernel.failure();
    placed.kernel = std::move(*kernel);
    return {};
  }

  void set_groups(const ActorModel& actor, PlacedActor& placed,
                  const std::array<std::uint32_t, 3>& workgroup) {
    if (actor.kernel->groups()) {
      placed.groups = {*actor.kernel->groups()};
      return;
    }
    const auto& port = placed.ports[analysis::counted_port(actor)];
    const auto& type = result_->rings[port.ring].type;
    const auto firings = port.rate.is_constant() ? 1 : placed.initial_firings + placed.recurrence;
    for (std::int64_t n = 0; n < firings; ++n) {
      const auto groups = analysis::groups_for(port.rate.at(n), type, workgroup);
      placed.groups.push_back({static_cast<std::uint32_t>(groups), 1, 1});
    }
  }

  Status set_recurrence(const ActorModel& actor, PlacedActor& placed) {
    Int128 recurrence = 1;
    for (const auto& port : placed.ports) {
      const auto& rate = port.rate;
      const auto slots = result_->rings[port.ring].layout.recurring();
      const auto cycles = rate.sum() == 0 ? 1 : slots / std::gcd(slots, rate.sum());
      const auto firings = static_cast<std::int64_t>(Int128{cycles} * rate.phases() > most_windows
                                                         ? most_windows + 1
                                                         : Int128{cycles} * rate.phases());
      recurrence = std::lcm(static_cast<std::int64_t>(recurrence), firings);
      if (recurrence + placed.initial_firings > most_windows) {
        return Failure{
            ErrorKind::unsupported,
            fmt::format(
                "actor '{}': the windows of its ports recur only after more than {} firings; "
                "give its channels smaller capacities, or some that are multiples of each other",
                actor.name, most_windows)};
      }
    }
    placed.recurrence = static_cast<std::int64_t>(recurrence);
    return {};
  }

  // Consumers first: depth-first along channels that start empty; what a cycle adds does not
  // matter.
  void rank() {
    const auto& r = result_->relation;
    std::vector<std::uint8_t> seen(result_->actors.size(), 0);
    std::uint32_t next = 0;
    std::vector<std::pair<std::uint32_t, std::size_t>> path;
    for (std::uint32_t root = 0; root < seen.size(); ++root) {
      if (seen[root] != 0) continue;
      seen[root] = 1;
      path.emplace_back(root, 0);
      while (!path.empty()) {
        const auto actor = path.back().first;
        const auto upon = r.waits_upon[actor];
        auto& i = path.back().second;
        if (i == upon.size()) {
          result_->actors[actor].rank = next++;
          path.pop_back();
          continue;
        }
        const auto& wait = r.waits[upon[i++]];
        if (wait.kind == relation::WaitKind::data && wait.offset == 0 && seen[wait.waiter] == 0) {
          seen[wait.waiter] = 1;
          path.emplace_back(wait.waiter, 0);
        }
      }
    }
  }

  std::shared_ptr<Placed> result_;
  GraphModel model_;
  std::vector<std::int64_t> capacities_;
  Ends ends_;
  Report report_;
};

}  // namespace

std::variant<std::shared_ptr<const Placed>, Unplaced> place(
    std::shared_ptr<const analysis::CheckedGraph> checked, std::shared_ptr<device::Device> device) {
  return Placer(std::move(checked), std::move(device)).run();
}

}  // namespace antiphon::plan
