#include "check/cure.hpp"

#include "check/block_run.hpp"

#include <algorithm>
#include <map>

namespace antiphon::analysis {

namespace {

using relation::Relation;

class Cure {
 public:
  Cure(const Relation& relation, const Block& block, const std::vector<std::int64_t>& repetitions,
       const CureOptions& options)
      : relation_(relation), options_(options), run_(relation, block, repetitions) {
    for (const auto w : block.waits) {
      const auto& wait = relation.waits[w];
      if (wait.kind == options.kind && options.may_grow(wait.channel)) {
        channels_[wait.channel].waits.push_back(w);
      }
    }
  }

  std::optional<std::vector<Change>> find(std::int64_t& budget) {
    for (int paths = 0;; ++paths) {
      const auto state = run_.run(budget);
      if (state == BlockRun::State::undecided) return std::nullopt;
      if (state == BlockRun::State::lives) break;
      if (!grow_path() || (paths >= options_.most_single_paths && !grow_all())) return std::nullopt;
    }
    auto for_small = std::min(budget, options_.most_for_small);
    budget -= for_small;
    for (const auto c : order_) {
      if (for_small <= 0) break;
      shrink(channels_.at(c), for_small);
    }
    budget += for_small;
    std::vector<Change> changes;
    for (const auto c : order_) {
      const auto more = channels_.at(c).more;
      if (more > 0) changes.push_back({c, options_.now(c), options_.now(c) + more});
    }
    return changes;
  }

 private:
  struct Channel {
    std::vector<std::uint32_t> waits;
    std::int64_t more = 0;
  };

  // Where nothing on a stuck path can grow, nothing elsewhere helps.
  bool grow_path() {
    std::optional<std::uint32_t> best;
    std::int64_t best_lacking = 0;
    for (const auto& hop : run_.stalled_path()) {
      const auto channel = relation_.waits[hop.wait].channel;
      const auto found = channels_.find(channel);
      if (found == channels_.end() || relation_.waits[hop.wait].kind != options_.kind) continue;
      const auto lacking = run_.lacking(hop.wait);
      const bool grown = found->second.more > 0;
      const bool best_grown = best && channels_.at(*best).more > 0;
      if (best && (grown < best_grown || (grown == best_grown && lacking >= best_lacking)))
        continue;
      best = channel;
      best_lacking = lacking;
    }
    return best && grow(*best, best_lacking);
  }

  bool grow_all() {
    std::map<std::uint32_t, std::int64_t> lacking;
    for (const auto w : run_.blocked_waits()) {
      const auto& wait = relation_.waits[w];
      if (wait.kind != options_.kind || channels_.find(wait.channel) == channels_.end()) continue;
      auto& most = lacking[wait.channel];
      most = std::max(most, run_.lacking(w));
    }
    return std::all_of(lacking.begin(), lacking.end(),
                       [&](const auto& l) { return l.second <= 0 || grow(l.first, l.second); });
  }

  bool grow(std::uint32_t id, std::int64_t lacking) {
    auto& channel = channels_.at(id);
    const auto size = options_.now(id) + channel.more;
    const auto by = std::max(lacking, size);
    if (by > PhaseSequence::limit - size) return false;
    if (channel.more == 0) order_.push_back(id);
    add(channel, by);
    return true;
  }

  void add(Channel& channel, std::int64_t by) {
    channel.more += by;
    for (const auto w : channel.waits) run_.add_offset(w, by);
  }

  // The least that still lives while the others stay as they are; the last that was seen to live
  // when the budget ends.
  void shrink(Channel& channel, std::int64_t& budget) {
    std::int64_t too_little = -1;
    std::int64_t enough = channel.more;
    while (enough - too_little > 1) {
      const auto middle = too_little + (enough - too_little) / 2;
      add(channel, middle - channel.more);
      run_.reset();
      const auto state = run_.run(budget);
      if (state == BlockRun::State::undecided) break;
      (state == BlockRun::State::lives ? enough : too_little) = middle;
    }
    add(channel, enough - channel.more);
  }

  const Relation& relation_;
  const CureOptions& options_;
  BlockRun run_;
  std::map<std::uint32_t, Channel> channels_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::optional<std::vector<Change>> cure(const Relation& relation, const Block& block,
                                        const std::vector<std::int64_t>& repetitions,
                                        const CureOptions& options, std::int64_t& budget) {
  return Cure(relation, block, repetitions, options).find(budget);
}

}  // namespace antiphon::analysis
