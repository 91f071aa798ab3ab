#pragma once

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
#include "net/http_client.hpp"

namespace waybill::connectors {

namespace asio = boost::asio;

/// What a business gives to reach its store. Never logged, never part of an error's text.
struct StoreCredentials {
  std::string api_key;
  std::string api_secret;  // empty where the provider has none
  std::string store_url;   // as `normal_url` returned it
};

/// Why a store could not be asked or did not do what it was asked for.
enum class StoreProblem {
  credentials,  // the store refuses them, or they lack a right
  wrong_store,  // something answers there, but not this provider's API
  unreachable,  // no such name, refused, no route, or the destination guard
  tls,          // its certificate is not good, or it speaks no TLS
  busy,         // 429, THROTTLED, 5xx, a time-out, a cut answer: later it may do
  refused,      // the store will never do this (a cancelled order, an unknown one)
};

/// `what()` is a sentence for the business, with the store's own words where it gave some (at most 300
/// characters), without a secret.
class StoreError : public std::exception {
 public:
  StoreError(StoreProblem problem, std::string message, std::optional<Duration> retry_after = std::nullopt)
      : problem_(problem), message_(std::move(message)), retry_after_(retry_after) {}

  StoreProblem problem() const { return problem_; }
  /// A lower bound that the store asked for.
  std::optional<Duration> retry_after() const { return retry_after_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  StoreProblem problem_;
  std::string message_;
  std::optional<Duration> retry_after_;
};

// Texts of a store went through `clean_text` (store_call.hpp): UTF-8, trimmed; what is blank is absent.
// Amounts are decimals in major units as text ("19.99"), not rounded. Times are UTC.

struct StoreAddress {
  std::optional<std::string> street, city, state, postal_code, country;  // country: ISO 3166-1 alpha-2
};

struct StoreItem {
  std::string description;
  std::optional<std::string> sku;
  std::int64_t quantity = 1;
  std::optional<std::string> price;  // of one
};

struct StoreOrder {
  std::string external_id;
  std::string number;
  std::string status;  // ours: pending, processing, ready, shipped, delivered or cancelled
  std::optional<std::string> customer_name, customer_email, customer_phone;
  StoreAddress delivery;
  std::vector<StoreItem> items;
  std::string total;
  std::string currency;  // ISO 4217, upper case
  std::optional<std::string> notes;
  Time created_at;
  Time changed_at;
};

struct StoreVariant {
  std::string name;
  std::optional<std::string> sku, price, weight;  // weight in kg
};

struct StoreProduct {
  std::string external_id;
  std::string name;
  std::optional<std::string> sku, description, barcode, price;
  std::optional<std::string> weight, length, width, height;  // kg, cm
  std::vector<StoreVariant> variants;                        // empty for a product without
  Time changed_at;
};

/// A record of the store that cannot be read; the others are not held up by it.
struct Unreadable {
  std::string external_id;            // empty when even that is missing
  std::optional<std::string> number;  // as far as it is known
  std::string reason;                 // a sentence
};

template <typename Record>
struct StorePage {
  std::vector<Record> records;
  std::vector<Unreadable> unreadable;
  /// What changed before this moment has been given by this page and those before it: where the next sweep
  /// may begin. Never goes back. nullopt: unchanged by this page.
  std::optional<Time> reached;
};

/// The pages of one sweep over what changed at or after a moment, oldest change first. No record that changed
/// before the sweep began is left out, whatever changes while it is read; the same record may come twice.
template <typename Record>
class StoreSweep {
 public:
  virtual ~StoreSweep() = default;
  /// The next page (at most 250 records); nullopt at the end. Throws StoreError; calling again then asks for
  /// the same page again.
  virtual asio::awaitable<std::optional<StorePage<Record>>> next() = 0;
};

/// A parcel that the store shall show its buyer.
struct StoreTracking {
  std::string order_id;  // the store's
  std::string tracking_number;
  std::string carrier_name;  // empty: unknown
  std::string carrier_code;  // ours ("dhl"), or empty
  std::string tracking_url;  // or empty
  Time shipped_at;
};

/// A connection to one store. Keeps what it learned of it (a token, which of its APIs there are, how many
/// calls it bears). One coroutine at a time.
class Store {
 public:
  virtual ~Store() = default;

  /// Makes an authenticated call that changes nothing; `writes`: also makes sure of the right to push
  /// tracking, as far as the store can tell without a change. Throws StoreError.
  virtual asio::awaitable<void> check(bool writes) = 0;

  /// nullopt: from the first order on. Drafts are left out.
  virtual std::unique_ptr<StoreSweep<StoreOrder>> orders_since(std::optional<Time> since) = 0;

  /// One order as a page of one; an empty page when the store has none of that id (any more), or a draft.
  virtual asio::awaitable<StorePage<StoreOrder>> order(std::string external_id) = 0;

  virtual std::unique_ptr<StoreSweep<StoreProduct>> products_since(std::optional<Time> since) = 0;

  /// Makes the store show the parcel. Harmless when repeated, also after an answer that was lost: looks first
  /// whether the store has this tracking number. False when it had it already. Throws StoreError.
  virtual asio::awaitable<bool> push_tracking(StoreTracking tracking) = 0;
};

/// A call of the store's own webhook as it came in.
struct InboundCall {
  std::string_view body;
  /// By its name in lower case; nullopt when absent.
  std::function<std::optional<std::string_view>(std::string_view name)> header;
};

struct InboundVerdict {
  enum class Kind {
    bad_signature,
    ping,  // nothing happened in the store: answered, nothing done
    hint,  // something may have changed
  };
  Kind kind = Kind::bad_signature;
  std::optional<std::string> delivery_id;  // of a hint, by which a repeated delivery is known
};

/// What the catalogue shows of a provider. A null label: it has no such credential or setting.
struct ProviderTerms {
  std::string_view code;        // "woocommerce"
  std::string_view name;        // "WooCommerce"
  std::string_view type;        // "ecommerce"
  std::string_view api_key;     // what the provider calls it, such as "Consumer key (ck_…)"
  std::string_view api_secret;  // empty: it has none
  std::string_view store_url;   // an example
};

/// Sends one request, and gives its answer or why there is none; never throws but when it is cancelled
/// (boost::system::system_error, operation_aborted). The answer's body is whole up to `keep_limit`.
using Send = std::function<asio::awaitable<net::HttpResponse>(net::HttpRequest)>;

/// What speaks to the stores of one provider. Stateless: one instance serves all businesses, on any thread. A
/// connector is one file and a line in connectors/registry.cpp.
class Connector {
 public:
  struct Options {
    std::string shopify_version = "2026-07";  // of the Admin API
  };

  virtual ~Connector() = default;

  virtual const ProviderTerms& terms() const = 0;

  /// The one form of a store's address by which it is known again (scheme and host in lower case, no trailing
  /// slash, no default port). What is wrong with it is thrown as std::invalid_argument with a sentence. Pure.
  virtual std::string normal_url(std::string_view store_url) const = 0;

  virtual std::unique_ptr<Store> open(StoreCredentials credentials, Send send, const Clock& clock,
                                      const Options& options) const = 0;

  /// Compares signatures in constant time. Pure.
  virtual InboundVerdict verify(const StoreCredentials& credentials, const InboundCall& call) const = 0;
};

/// Null when unknown.
const Connector* find_connector(std::string_view provider_code);
std::span<const Connector* const> all_connectors();

}  // namespace waybill::connectors
