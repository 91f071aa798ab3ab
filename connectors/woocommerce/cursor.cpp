#include "connectors/woocommerce/cursor.hpp"

#include <algorithm>

namespace waybill::connectors {
namespace {

using std::chrono::seconds;

// The most by which the clocks of a site's servers may differ.
constexpr auto clock_margin = seconds(3);

// UTC without a suffix; WordPress converts a time with Z to the site's local time.
std::string filter_time(Time at) {
  constexpr std::size_t whole_seconds = 19;
  return format_timestamp(at).substr(0, whole_seconds);
}

}  // namespace

WooCursor::WooCursor(std::optional<Time> since, PageSize size) : size_(size) {
  if (since) from_ = std::chrono::floor<seconds>(*since);
}

oauth1::Parameters WooCursor::parameters() const {
  oauth1::Parameters parameters = {{"dates_are_gmt", "true"},
                                   {"order", "asc"},
                                   {"orderby", "modified"},
                                   {"page", std::to_string(page_)},
                                   {"per_page", std::to_string(size_.value())}};
  // Both filters exclude the second that they name.
  if (from_) parameters.emplace_back("modified_after", filter_time(*from_ - seconds(1)));
  if (within_second_) parameters.emplace_back("modified_before", filter_time(*from_ + seconds(1)));
  return parameters;
}

bool WooCursor::shrink() {
  if (!size_.shrink()) return false;
  page_ = 1;
  return true;
}

std::vector<bool> WooCursor::take(const WooListing& listing) {
  if (!horizon_) horizon_ = listing.asked_at - clock_margin;
  std::vector<bool> fresh;
  bool any_fresh = false;
  for (std::size_t i = 0; i < listing.rows.size(); ++i) {
    const auto& row = listing.rows[i];
    const Time modified = row.modified.value_or(Time::max());
    // Without an id, a row is known by its place. If it were always fresh, a pass would never be the last.
    const auto name = row.id.empty() ? "#" + std::to_string(page_) + "." + std::to_string(i) : row.id;
    const auto key = name + "@" + (row.modified ? filter_time(*row.modified) : "");
    fresh.push_back(taken_.emplace(key, modified).second);
    any_fresh = any_fresh || fresh.back();
  }
  if (within_second_) {
    advance_within_second(listing, any_fresh);
  } else {
    advance(listing, any_fresh);
  }
  if (page_ == 1) size_.grow();  // pages of a list have one size
  return fresh;
}

void WooCursor::advance(const WooListing& listing, bool any_fresh) {
  const auto& rows = listing.rows;
  std::optional<Time> settled;  // the latest change that happened before the sweep
  for (const auto& row : rows) {
    if (row.modified && *row.modified < *horizon_) settled = std::max(settled, row.modified);
  }
  reached_ = std::max(reached_, settled);
  // Some servers send no counts. A page that is not full may lack records that the key may not see.
  const bool more = listing.pages ? page_ < *listing.pages : any_fresh;
  if (rows.size() < size_.value() && !more) {
    finished_ = true;
    return;
  }
  const auto last = rows.empty() ? std::nullopt : rows.back().modified;
  if (settled > from_) {
    move_to(*settled);
  } else if (last > from_ && any_fresh && !asked_again_) {
    // All new rows changed during the sweep, perhaps during this call, so that other rows moved up.
    asked_again_ = true;
  } else if (last > from_) {
    move_to(*last);
  } else if (last && last == from_) {
    within_second_ = true;
    page_ = 1;
  } else {
    ++page_;
  }
}

void WooCursor::advance_within_second(const WooListing& listing, bool any_fresh) {
  if (page_ == 1) {
    pass_total_ = listing.total;
    steady_ = true;
    pass_was_new_ = false;
  }
  steady_ = steady_ && listing.total == pass_total_;
  pass_was_new_ = pass_was_new_ || any_fresh;
  const bool more = listing.pages ? page_ < *listing.pages : listing.rows.size() == size_.value();
  if (more) {
    ++page_;
    return;
  }
  page_ = 1;
  const bool complete = listing.total ? steady_ : !pass_was_new_;
  if (complete) move_to(*from_ + seconds(1));
}

void WooCursor::move_to(Time second) {
  from_ = second;
  page_ = 1;
  within_second_ = false;
  asked_again_ = false;
  std::erase_if(taken_, [&](const auto& row) { return row.second < second; });
}

}  // namespace waybill::connectors
