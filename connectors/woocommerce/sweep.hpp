#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "connectors/store_call.hpp"
#include "connectors/woocommerce/client.hpp"
#include "connectors/woocommerce/cursor.hpp"

namespace waybill::connectors {

/// The parts of a list's answer that a cursor needs.
WooListing woo_listing(const WooClient::Answer& answer, const Clock& clock);

/// A sweep over a list of a store. `read` adds a row to a page.
template <typename Record>
class WooSweep : public StoreSweep<Record> {
 public:
  struct List {
    std::string route;
    WooClient::Parameters parameters;
  };
  using Read = std::function<asio::awaitable<void>(const json::value& row, StorePage<Record>& page)>;

  WooSweep(WooClient& client, List list, std::optional<Time> since, Read read)
      : client_(client), list_(std::move(list)), read_(std::move(read)), cursor_(since) {}

  asio::awaitable<std::optional<StorePage<Record>>> next() override {
    while (!cursor_.finished()) {
      const auto answer = co_await ask_page();
      const auto listing = woo_listing(answer, client_.clock());
      WooCursor after = cursor_;
      const auto fresh = after.take(listing);
      StorePage<Record> page;
      for (std::size_t i = 0; i < fresh.size(); ++i) {
        if (fresh[i]) co_await read_(answer.body.get_array()[i], page);
      }
      if (after.reached() != cursor_.reached()) page.reached = after.reached();
      cursor_ = std::move(after);  // after the last step that can fail
      if (page.records.empty() && page.unreadable.empty() && !page.reached) continue;
      co_return page;
    }
    co_return std::nullopt;
  }

 private:
  asio::awaitable<WooClient::Answer> ask_page() {
    while (true) {
      auto parameters = cursor_.parameters();
      parameters.insert(parameters.end(), list_.parameters.begin(), list_.parameters.end());
      try {
        co_return co_await client_.expect("GET", list_.route, std::move(parameters));
      } catch (const OversizedAnswer&) {
        if (!cursor_.halve()) throw;
      }
    }
  }

  WooClient& client_;
  const List list_;
  const Read read_;
  WooCursor cursor_;
};

}  // namespace waybill::connectors
