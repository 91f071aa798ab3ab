#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/json.hpp"
#include "connectors/connector.hpp"
#include "connectors/medusa/api.hpp"

namespace waybill::connectors {

// Facts of the server that the sweeps live with (measured on 2.21.2):
// - Paging by offset leaves out an order when one before it changes. So a page begins at the last one's time
//   of change, and what has this very time comes twice.
// - The order of equal times is not stable, and thousands may have the same.
// - Capturing a payment does not change the order's time, nor a variant's change the product's. So payments
//   and variants are swept as well.

/// The records of one list of the API that changed at or after a moment, in the order of their times.
class MedusaList {
 public:
  struct Terms {
    std::string path;    // "/admin/orders"
    std::string name;    // "orders": of the array in its answer
    std::string fields;  // with `id` and `updated_at`
    std::size_t page;    // how many at a time
    /// The list can be filtered by `id[$gt]`: where a whole page has one time, the records of that time are
    /// read in the order of their ids. Otherwise larger pages are asked for until one has a second time.
    bool by_id;
  };

  MedusaList(MedusaApi& api, Terms terms, std::optional<Time> since)
      : api_(api), terms_(std::move(terms)), limit_(terms_.page), from_(since) {}

  /// The next records, perhaps none; not to be called at the end. Throws StoreError, and then asks for the
  /// same page again.
  asio::awaitable<json::array> next();
  bool at_end() const { return at_end_; }
  /// What changed before this moment has been given.
  std::optional<Time> reached() const { return from_; }

 private:
  asio::awaitable<json::array> ask_page();
  MedusaQuery query() const;
  /// False when the page has to be asked for once more, in another way.
  bool advance(const json::array& records);

  MedusaApi& api_;
  Terms terms_;
  std::size_t limit_;
  std::optional<Time> from_;
  std::optional<std::string> after_id_;  // while the records of the one time `from_` are read
  bool at_end_ = false;
};

/// How many records a page has, as long as no answer is too large.
struct MedusaPages {
  std::size_t full = 50;    // records with all their parts
  std::size_t light = 250;  // their ids and times
};

/// Orders that changed, or whose payments did. `api` outlives the sweep.
std::unique_ptr<StoreSweep<StoreOrder>> sweep_medusa_orders(MedusaApi& api, std::optional<Time> since,
                                                            MedusaPages pages = {});

/// Products that changed, or whose variants did, with the prices of the store's default currency.
std::unique_ptr<StoreSweep<StoreProduct>> sweep_medusa_products(MedusaApi& api, std::optional<Time> since,
                                                                MedusaPages pages = {});

}  // namespace waybill::connectors
