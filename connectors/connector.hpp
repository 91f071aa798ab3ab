#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "net/http/http_client.hpp"

namespace waybill::connectors {

namespace asio = boost::asio;

/// The credentials of a business for its store. Never logged, never part of an error's text.
struct StoreCredentials {
  std::string api_key;
  std::string api_secret;  // empty if the provider has none
  std::string store_url;   // a result of `normal_url`
};

/// The reason why a call to a store failed.
enum class StoreProblem {
  credentials,  // the store refuses the credentials, or they lack a right
  wrong_store,  // the server at the address does not have this provider's API
  unreachable,  // unknown name, connection refused, no route, or a forbidden destination
  tls,          // an untrusted certificate, or no TLS
  busy,         // 429, THROTTLED, a time-out, a cut answer: a later attempt may succeed
  failing,      // 5xx: a later attempt may succeed
  refused,      // no later attempt can succeed (a cancelled order, an unknown order)
};

/// True if a later attempt may succeed without a change of the settings.
inline bool may_pass(StoreProblem problem) {
  return problem == StoreProblem::busy || problem == StoreProblem::failing;
}

/// A call to a store failed. `what()` is a sentence for the business that includes the store's message, if
/// any (at most 300 characters), and no secret.
class StoreError : public std::exception {
 public:
  StoreError(StoreProblem problem, std::string message, std::optional<Duration> retry_after = std::nullopt)
      : problem_(problem), message_(std::move(message)), retry_after_(retry_after) {}

  StoreProblem problem() const { return problem_; }
  /// The least wait that the store asked for.
  std::optional<Duration> retry_after() const { return retry_after_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  StoreProblem problem_;
  std::string message_;
  std::optional<Duration> retry_after_;
};

// The texts of a store are results of the functions in store_text.hpp: trimmed UTF-8, absent if blank.
// Amounts are decimals in major units as text ("19.99"), not rounded. Times are UTC. A price, weight, length
// or shipping cost that is not a decimal is the store's own text ("9,90"): the import leaves it out and names
// it.

struct StoreAddress {
  std::optional<std::string> street, city, state, postal_code,
      country;  // the code of ISO 3166-1 alpha-2; as written if unknown
};

/// The person or company of an address or account.
struct StorePerson {
  std::optional<std::string> name = {}, company = {}, phone = {}, email = {};
};

struct StoreItem {
  std::string description;
  std::optional<std::string> sku;
  std::int64_t quantity = 1;
  std::optional<std::string> price;  // price of one piece; nullopt if it cannot be read
  std::optional<std::string> details =
      {};  // what else the line says about the piece: "Size: XL, Engraving: Ann"
};

struct StoreOrder {
  std::string external_id;
  std::string number;
  std::string status;  // in our terms: pending, processing, ready, shipped, delivered or cancelled
  // The buyer, set by `set_buyer` (store_buyer.hpp).
  std::optional<std::string> customer_name, customer_company, customer_email, customer_phone;
  StorePerson recipient;  // in the delivery address
  StoreAddress delivery;
  std::vector<StoreItem> items;
  std::string total;
  std::string currency;                        // ISO 4217, upper case
  std::optional<std::string> shipping_method;  // the name that the buyer saw at checkout
  std::optional<std::string> shipping_cost;
  std::optional<std::string> notes;
  Time created_at;
  Time changed_at;
};

struct StoreVariant {
  std::string name;
  std::optional<std::string> sku, price, weight;                    // weight in kg
  std::optional<std::string> hs_code = {}, origin_country = {};     // as the store has them, not checked
  std::optional<std::string> length = {}, width = {}, height = {};  // cm
  std::string external_id = {};                                     // empty if it cannot be read
};

struct StoreProduct {
  std::string external_id;
  std::string name;
  std::optional<std::string> sku, description, barcode, price;
  std::optional<std::string> weight, length, width, height;  // kg, cm
  std::vector<StoreVariant> variants;                        // empty if the product has none
  Time changed_at;
  std::optional<std::string> hs_code = {}, origin_country = {};  // those of variants may differ
  bool has_all_variants = true;  // false if variants may be missing in the list
};

/// A record of the store that cannot be read; the other records are still imported, and so is the status of
/// an order that was imported before.
struct Unreadable {
  std::string external_id;              // empty if it is missing
  std::optional<std::string> number;    // if known
  std::string reason;                   // a sentence; empty if only the status matters: the order was deleted
  std::optional<Time> created_at = {};  // time of an order, if known
  std::string status = {};              // of an order, in our terms; empty if unknown
};

template <typename Record>
struct StorePage {
  std::vector<Record> records;
  std::vector<Unreadable> unreadable;
  /// All changes before this time are in this page and those before it, so that the next sweep may begin
  /// there. Never decreases. nullopt if this page does not change it.
  std::optional<Time> reached;
};

/// The pages of one sweep over the records that changed at or after a time, oldest change first. Includes
/// every record that changed before the sweep began, whatever changes during the sweep; may return a record
/// twice.
template <typename Record>
class StoreSweep {
 public:
  virtual ~StoreSweep() = default;
  /// The next page (at most 250 records); nullopt at the end. Throws StoreError; the next call then requests
  /// the same page again.
  virtual asio::awaitable<std::optional<StorePage<Record>>> next() = 0;
};

/// An item of our order. One that the order had when a parcel was made, and does not have any more, has no
/// texts and the quantity 0.
struct StoreParcelItem {
  Guid guid;
  std::string description;
  std::optional<std::string> sku;
  std::int64_t quantity = 1;
  std::int64_t in_parcel = 0;  // pieces
  std::int64_t sent = 0;       // pieces in other parcels that are underway or delivered
};

/// A parcel that the store shows to its buyer.
struct StoreTracking {
  std::string order_id;  // the store's id
  std::string tracking_number;
  std::string carrier_name;  // empty if unknown, or if the number is not the carrier's
  std::string carrier_code;  // our code ("dhl_express"); empty if the name is
  std::string tracking_url;  // may be empty
  Time shipped_at;
  /// Other numbers under which the store may show this parcel. They give way to tracking_number.
  std::vector<std::string> earlier_numbers = {};
  /// True if tracking_number was sent with another tracking_url before.
  bool has_new_url = false;
  Guid order = {};  // our order
  /// The items of our order; empty if it is not known which of them are in the parcel.
  std::vector<StoreParcelItem> items = {};
  /// True if the parcel was made of chosen items of the order, false if of all that the order had then.
  bool is_part = false;

  /// True for a number of this parcel, the present or an earlier one.
  bool has_number(std::string_view number) const {
    return number == tracking_number || std::ranges::find(earlier_numbers, number) != earlier_numbers.end();
  }
  /// True for an outdated number or link of this parcel.
  bool replaces(std::string_view number, std::string_view url) const {
    if (number == tracking_number) return has_new_url && url != tracking_url;
    return has_number(number);
  }
};

/// A connection to one store. Remembers facts about the store (a token, its available APIs, its rate limit).
/// One coroutine at a time.
class Store {
 public:
  virtual ~Store() = default;

  /// Makes an authenticated call that changes nothing. If `writes`, also checks the right to send tracking,
  /// as far as possible without a change. Throws StoreError.
  virtual asio::awaitable<void> check(bool writes) = 0;

  /// Begins with the first order if `since` is nullopt. Drafts are left out.
  virtual std::unique_ptr<StoreSweep<StoreOrder>> orders_since(std::optional<Time> since) = 0;

  /// A page with one order; an empty page if the store does not have it (any more) or it is a draft. If the
  /// store says that it deleted the order, it is Unreadable with the status `cancelled`.
  virtual asio::awaitable<StorePage<StoreOrder>> order(std::string external_id) = 0;

  virtual std::unique_ptr<StoreSweep<StoreProduct>> products_since(std::optional<Time> since) = 0;

  /// A page with one product; an empty page if the store does not have it (any more), or only as one that
  /// sweeps leave out, such as a draft.
  virtual asio::awaitable<StorePage<StoreProduct>> product(std::string external_id) = 0;

  /// Makes the store show the parcel. Can be repeated safely, also after a lost answer, because it first
  /// checks whether the store has this tracking number. If the store already shows outdated numbers or links
  /// of the parcel, they are replaced as far as its API allows. Of a parcel with some of the order's items,
  /// the store never learns that others were sent. Returns false if the store had it already. Throws
  /// StoreError.
  virtual asio::awaitable<bool> send_tracking(StoreTracking tracking) = 0;
};

/// A received call of the store's webhook.
struct InboundCall {
  std::string_view body;
  /// Returns a header by its name in lower case; nullopt if absent.
  std::function<std::optional<std::string_view>(std::string_view name)> header;
};

struct InboundVerdict {
  enum class Kind {
    bad_signature,
    ping,  // a test call; nothing changed in the store
    hint,  // something may have changed in the store
  };
  Kind kind = Kind::bad_signature;
  std::optional<std::string> delivery_id;    // id of a hint; identifies repeated deliveries
  std::optional<std::string> deleted_order;  // the store's id of an order that its lists no longer show
};

/// A provider's entry in the catalogue.
struct ProviderTerms {
  std::string_view code;        // "woocommerce"
  std::string_view name;        // "WooCommerce"
  std::string_view type;        // "ecommerce"
  std::string_view api_key;     // the provider's name for it, such as "Consumer key (ck_…)"
  std::string_view api_secret;  // empty if the provider has none
  std::string_view store_url;   // an example
};

/// Sends one request and returns its answer or failure; throws only if it is cancelled
/// (boost::system::system_error, operation_aborted). The answer's body is complete up to `keep_limit`.
using Send = std::function<asio::awaitable<net::HttpResponse>(net::HttpRequest)>;

/// Talks to the stores of one provider. Stateless: one instance serves all businesses, on any thread. A
/// connector is a folder in connectors/ and a line in connectors/store_registry.cpp.
class Connector {
 public:
  struct Options {
    std::string shopify_version = "2026-07";  // version of the Admin API
  };

  virtual ~Connector() = default;

  virtual const ProviderTerms& terms() const = 0;

  /// The normal form of a store's address, which identifies the store (scheme and host in lower case, no
  /// trailing slash, no default port). Throws std::invalid_argument with a sentence for an invalid address.
  /// Pure.
  virtual std::string normal_url(std::string_view store_url) const = 0;

  /// The address of an order's page in the store's administration, for people. `store_url` is in normal form.
  /// Pure.
  virtual std::string order_page(std::string_view store_url, std::string_view external_id) const = 0;

  virtual std::unique_ptr<Store> open(StoreCredentials credentials, Send send, const Clock& clock,
                                      const Options& options) const = 0;

  /// Compares signatures in constant time. Pure.
  virtual InboundVerdict verify(const StoreCredentials& credentials, const InboundCall& call) const = 0;
};

/// Null if unknown.
const Connector* find_connector(std::string_view provider_code);
std::span<const Connector* const> all_connectors();

}  // namespace waybill::connectors
