#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connectors/shown_records.hpp"
#include "connectors/store_call.hpp"
#include "connectors/woocommerce/client.hpp"
#include "connectors/woocommerce/cursor.hpp"

namespace waybill::connectors {

/// The rows of a list's answer; throws StoreError wrong_store if it is not a list. Valid as long as `answer`.
std::vector<const json::value*> woo_rows(const WooClient::Answer& answer);

/// The parts of a list's answer that a cursor needs.
WooListing woo_listing(const WooClient::Answer& answer, const Clock& clock);

/// Reads a whole list that is not ordered by time of change, in pages that become smaller when they fail.
/// `begin` is called before the first row, and again if the list is read again from its start. Throws
/// StoreError, and `too_long` beyond 5000 rows.
asio::awaitable<void> read_woo_list(WooClient& client, std::string route, WooClient::Parameters parameters,
                                    PageSize size, std::function<void()> begin,
                                    std::function<void(const json::value& row)> add, StoreError too_long);

/// A list of a store that is read by time of change.
struct WooList {
  std::string route;
  WooClient::Parameters parameters;
  std::string fields;        // members of a row
  std::string state_fields;  // members that name a row that cannot be read: id and times among them
};

/// A page of a list.
struct WooPage {
  WooClient::Answer answer;
  WooListing listing;
  /// The store cannot answer the only row whole, for this reason; it has the state fields. Empty otherwise.
  std::string failure;
};

/// Requests the cursor's page, in smaller pages if the store cannot answer so much. A store that answers
/// nothing gets two requests. Throws StoreError.
asio::awaitable<WooPage> ask_woo_page(WooClient& client, const WooList& list, WooCursor& cursor);

/// True if the store shows this record of the list whole. Throws StoreError for a failure that is not the
/// record's.
asio::awaitable<bool> shows_woo_record(WooClient& client, const WooList& list, ShownRecords::Sample sample);

/// A sweep over a list of a store. `read` adds a row to a page, `set_aside` one that cannot be read.
template <typename Record>
class WooSweep : public StoreSweep<Record> {
 public:
  using Page = StorePage<Record>;
  using Read = std::function<asio::awaitable<void>(const json::value& row, Page& page)>;
  using SetAside = std::function<void(const json::value& row, std::string reason, Page& page)>;

  /// `size` is that of the first page, and becomes that of the last one.
  WooSweep(WooClient& client, WooList list, std::optional<Time> since, PageSize& size, Read read,
           SetAside set_aside)
      : client_(client),
        list_(std::move(list)),
        size_(size),
        read_(std::move(read)),
        set_aside_(std::move(set_aside)),
        cursor_(since, size) {}

  asio::awaitable<std::optional<Page>> next() override {
    while (!cursor_.finished()) {
      const auto asked = co_await ask_woo_page(client_, list_, cursor_);
      const auto rows = woo_rows(asked.answer);
      WooCursor after = cursor_;
      const auto fresh = after.take(asked.listing);
      count_idle_pages(fresh);
      Page page;
      for (std::size_t i = 0; i < fresh.size(); ++i) {
        if (!fresh[i]) continue;
        shown_.note(asked.failure);
        co_await shown_.require_some(shows_);
        if (asked.failure.empty()) {
          co_await read_(*rows[i], page);
        } else {
          set_aside_(*rows[i], asked.failure, page);
        }
      }
      if (after.reached() != cursor_.reached()) page.reached = after.reached();
      cursor_ = std::move(after);  // after the last step that can fail
      size_ = cursor_.size();
      if (page.records.empty() && page.unreadable.empty() && !page.reached) continue;
      co_return page;
    }
    co_return std::nullopt;
  }

 private:
  /// A list that brings nothing new for very many pages, such as one with a wrong number of pages, never
  /// ends.
  void count_idle_pages(const std::vector<bool>& fresh) {
    constexpr int most_in_a_row = 2000;
    const bool is_idle = std::ranges::find(fresh, true) == fresh.end();
    idle_pages_ = is_idle ? idle_pages_ + 1 : 0;
    if (idle_pages_ > most_in_a_row)
      throw StoreError(StoreProblem::busy, "The store's list does not end: 2000 pages brought nothing new.");
  }

  WooClient& client_;
  const WooList list_;
  PageSize& size_;
  const Read read_;
  const SetAside set_aside_;
  WooCursor cursor_;
  ShownRecords shown_;
  const ShownRecords::Shows shows_ = [this](ShownRecords::Sample sample) {
    return shows_woo_record(client_, list_, sample);
  };
  int idle_pages_ = 0;  // in a row
};

}  // namespace waybill::connectors
