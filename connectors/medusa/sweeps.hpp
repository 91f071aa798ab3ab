#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/json.hpp"
#include "connectors/connector.hpp"
#include "connectors/medusa/api.hpp"
#include "connectors/page_size.hpp"

namespace waybill::connectors {

// Facts about the server that the sweeps allow for (measured on 2.21.2):
// - Paging by offset leaves out an order if one before it changes. So a page begins at the time of change of
//   the last record, and records with this time come twice.
// - The order of records with equal times is not stable, and thousands may have the same time.
// - A payment's capture does not change the order's time, nor a variant's change the product's. So payments
//   and variants are swept as well.

/// Records of an answer.
struct MedusaRows {
  json::array records;
  std::string failure = {};  // the reason why the store cannot show the only record whole; empty if it can
};

/// The records of one list of the API that changed at or after a time, in the order of their times.
class MedusaList {
 public:
  struct Terms {
    std::string path;    // "/admin/orders"
    std::string name;    // name of the array in its answer: "orders"
    std::string fields;  // including `id` and `updated_at`
    std::size_t page;    // records on a page
    /// True if the list can be filtered by `id[$gt]`: if a whole page has one time, the records of that time
    /// are read in the order of their ids. Otherwise larger pages are requested until one has a second time.
    bool by_id;
    /// The fields that name a record that the store cannot show whole; empty if it is not named.
    std::string state_fields = {};
  };

  MedusaList(MedusaApi& api, Terms terms, std::optional<Time> since)
      : api_(api), terms_(std::move(terms)), size_(terms_.page), limit_(terms_.page), from_(since) {}

  /// The next records, perhaps none; must not be called at the end. Throws StoreError; the next call then
  /// requests the same page again.
  asio::awaitable<MedusaRows> next();
  bool at_end() const { return at_end_; }
  /// All changes before this time have been returned.
  std::optional<Time> reached() const { return from_; }

 private:
  asio::awaitable<MedusaRows> ask_page();
  asio::awaitable<json::array> ask_once(const std::string& fields);
  MedusaQuery query(const std::string& fields) const;
  /// Returns false if the page must be requested again, in another way.
  bool advance(const json::array& records);

  MedusaApi& api_;
  Terms terms_;
  PageSize size_;             // of a page that is not enlarged
  std::size_t limit_;         // of the page that is requested
  bool is_enlarged_ = false;  // until a page has a second time
  std::optional<Time> from_;
  std::optional<std::string> after_id_;  // set while the records of the time `from_` are read
  bool at_end_ = false;
};

/// The number of records on a page, unless an answer is too large.
struct MedusaPages {
  std::size_t full = 50;    // records with all their parts
  std::size_t light = 250;  // their ids and times
};

/// Orders that changed, or whose payments changed. `api` outlives the sweep.
std::unique_ptr<StoreSweep<StoreOrder>> sweep_medusa_orders(MedusaApi& api, std::optional<Time> since,
                                                            MedusaPages pages = {});

/// Products that changed, or whose variants changed, with prices in the store's default currency.
std::unique_ptr<StoreSweep<StoreProduct>> sweep_medusa_products(MedusaApi& api, std::optional<Time> since,
                                                                MedusaPages pages = {});

/// A page with this product; empty if the store does not have it. `api` outlives the call.
asio::awaitable<StorePage<StoreProduct>> medusa_product(MedusaApi& api, std::string id);

}  // namespace waybill::connectors
