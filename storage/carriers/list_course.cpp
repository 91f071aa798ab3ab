#include "storage/carriers/list_course.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "domain/records/state_machines.hpp"

namespace waybill::storage {
namespace {

using Kind = ListStep::Kind;

class ListPlanner {
 public:
  ListPlanner(const ListState& state, std::span<const ParcelScan> list, Time now)
      : state_(state), list_(list), now_(stored(now)) {}

  ListPlan plan() {
    gather();
    if (!has_news()) {
      plan_.status = state_.status;
      return std::move(plan_);
    }
    walk();
    const auto& scans = plan_.scans;
    std::size_t next = scans.size();  // behind the newest known scan that tells a status
    while (next > 0 && !(scans[next - 1].known && scans[next - 1].tells_status)) --next;
    const std::string& wanted = next == 0 ? state_.base_status : after_[next - 1];
    const auto mover = mover_before(next);
    plan_.is_course = wanted == state_.status || (mover && may_become(wanted));
    if (plan_.is_course) {
      store_before(next, wanted == state_.status ? std::nullopt : mover);
      if (wanted != state_.status) add_move(*mover);
      plan_.status = wanted;
    } else {
      store_before(next, std::nullopt);
      plan_.status = state_.status;
      follow_revised();
      judge_from(next);
    }
    plan_.has_known = next > 0;
    date();
    for (std::size_t scan = next; scan < scans.size(); ++scan) {
      if (scans[scan].known) continue;
      if (!scans[scan].is_move) {
        add_stored(scan);
        continue;
      }
      add_move(scan);
      plan_.status = scans[scan].status;
    }
    return std::move(plan_);
  }

 private:
  // Stored times have milliseconds.
  static Time stored(Time at) { return std::chrono::round<std::chrono::milliseconds>(at); }

  void gather() {
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < state_.known.size(); ++i) known.emplace(state_.known[i].external_id, i);
    std::set<std::string> seen;
    std::vector<ListedScan> told;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      const ParcelScan& scan = list_[i];
      if (!seen.insert(*scan.external_id).second) continue;
      const auto found = known.find(*scan.external_id);
      ListedScan listed{.told = i,
                        .known = found == known.end() ? std::nullopt : std::optional(found->second),
                        .external_id = *scan.external_id,
                        .status = scan.status,
                        .at = std::min(stored(scan.at.value_or(now_)), now_),
                        .read_at = now_,
                        .tells_status = scan.tells_status};
      if (listed.known) {
        const KnownScan& before = state_.known[*listed.known];
        listed.read_at = before.read_at.value_or(before.at);
        listed.at = std::min(listed.at, listed.read_at);
        if (before.is_closed) continue;
      }
      told.push_back(std::move(listed));
    }
    for (std::size_t i = 0; i < state_.known.size(); ++i) {
      const KnownScan& before = state_.known[i];
      if (before.is_closed || seen.contains(before.external_id)) continue;
      plan_.scans.push_back({.told = std::nullopt,
                             .known = i,
                             .external_id = before.external_id,
                             .status = before.status,
                             .at = before.at,
                             .read_at = before.read_at.value_or(before.at),
                             .tells_status = before.tells_status.value_or(before.is_move)});
    }
    std::ranges::move(told, std::back_inserter(plan_.scans));
    std::ranges::sort(plan_.scans, {},
                      [](const ListedScan& scan) { return std::tuple(scan.at, scan.told, scan.known); });
  }

  bool has_news() const {
    return std::ranges::any_of(plan_.scans, [&](const ListedScan& scan) {
      if (!scan.known) return true;
      const KnownScan& before = state_.known[*scan.known];
      return scan.at != before.at || scan.status != before.status;
    });
  }

  ScanCourse::Verdict judge(ScanCourse& course, const ListedScan& scan) const {
    return course.judge({.shipment = std::nullopt,
                         .number = std::nullopt,
                         .status = scan.status,
                         .description = {},
                         .location = std::nullopt,
                         .at = scan.at,
                         .external_id = std::nullopt,
                         .tells_status = scan.tells_status,
                         .is_gateways = true},
                        scan.at, false);
  }

  /// A cancellation that is told late does not cancel a parcel that has moved, unless its label was voided.
  bool may_become(const std::string& status) const {
    const bool is_late =
        status == "cancelled" && state_.status != "created" && state_.label_status != "voided";
    return !is_late && domain::shipment_states().allows(state_.status, status);
  }

  /// The course of the scans from the base.
  void walk() {
    ScanCourse course(state_.base_status, state_.label_status, state_.base_at);
    const bool was_delivered = state_.base_status == "delivered" || state_.base_status == "returned";
    if (was_delivered) plan_.delivered_at = state_.delivered_at;
    for (ListedScan& scan : plan_.scans) {
      auto [outcome, status] = judge(course, scan);
      scan.status = std::move(status);
      scan.is_move = outcome == ScanOutcome::moved;
      if (scan.is_move) {
        plan_.changed_at = scan.at;
        if (scan.status == "delivered") plan_.delivered_at = scan.at;
        if (scan.status != "delivered" && scan.status != "returned") plan_.delivered_at.reset();
      }
      after_.push_back(course.status());
    }
  }

  /// Follows the scan that has made the present status if it is told with another one now, such as a delivery
  /// that turns out to be a return.
  void follow_revised() {
    for (std::size_t scan = plan_.scans.size(); scan-- > 0;) {
      const ListedScan& listed = plan_.scans[scan];
      if (!listed.known || !state_.known[*listed.known].is_move) continue;
      if (state_.known[*listed.known].status != state_.status) continue;
      if (!may_become(listed.status)) return;
      add_move(scan);
      plan_.status = listed.status;
      return;
    }
  }

  /// Keeps times that somebody else has set.
  void date() {
    if (!plan_.changed_at) plan_.changed_at = state_.changed_at;
    const bool is_gateways =
        !state_.delivered_at || std::ranges::any_of(state_.known, [&](const KnownScan& scan) {
          return scan.is_move && scan.at == *state_.delivered_at;
        });
    if (!is_gateways && plan_.delivered_at) plan_.delivered_at = state_.delivered_at;
  }

  /// The course of the scans from `next` on, from the present status.
  void judge_from(std::size_t next) {
    ScanCourse course(plan_.status, state_.label_status, state_.base_at);
    for (std::size_t scan = 0; scan < plan_.scans.size(); ++scan) {
      ListedScan& listed = plan_.scans[scan];
      listed.is_move = false;
      if (scan < next) continue;
      auto [outcome, status] = judge(course, listed);
      listed.is_move = outcome == ScanOutcome::moved;
      listed.status = std::move(status);
    }
  }

  std::optional<std::size_t> mover_before(std::size_t next) const {
    while (next-- > 0)
      if (plan_.scans[next].is_move) return next;
    return std::nullopt;
  }

  void store_before(std::size_t next, std::optional<std::size_t> mover) {
    for (std::size_t scan = 0; scan < next; ++scan)
      if (!plan_.scans[scan].known && scan != mover) add_stored(scan);
  }

  void add_stored(std::size_t scan) {
    if (plan_.steps.empty() || plan_.steps.back().kind != Kind::store)
      plan_.steps.push_back({.kind = Kind::store, .scans = {}});
    plan_.steps.back().scans.push_back(scan);
  }

  void add_move(std::size_t scan) {
    plan_.steps.push_back({.kind = plan_.scans[scan].known ? Kind::renew : Kind::move, .scans = {scan}});
  }

  const ListState& state_;
  const std::span<const ParcelScan> list_;
  const Time now_;
  ListPlan plan_;
  std::vector<std::string> after_;  // the status of the course after each scan
};

}  // namespace

ListPlan plan_list(const ListState& state, std::span<const ParcelScan> list, Time now) {
  return ListPlanner(state, list, now).plan();
}

}  // namespace waybill::storage
