#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "tests/carriers/easypost_simulator.hpp"
#include "tests/carriers/gateway_front.hpp"
#include "tests/carriers/karrio_server.hpp"

namespace waybill::tests {

/// A gateway with a carrier behind it, in the same form for each connector. Thread-safe, apart from
/// `new_account`.
class PurchaseGateway {
 public:
  /// A label that the carrier has booked.
  struct Label {
    std::string reference;
    std::vector<std::string> numbers;  // one for each parcel
    std::string price, currency;
    bool is_test = false;
  };
  struct Offer {
    std::string service;  // `standard` or `express`
    std::string price;
    std::string currency = "EUR";
    int days = 2;
  };
  struct Account {
    std::string name;        // that of the connection: accountNumber
    json::object configure;  // fields of POST /api/carriers/configure
  };
  enum class Refusal { address, funds };

  PurchaseGateway() = default;
  virtual ~PurchaseGateway() = default;
  PurchaseGateway(const PurchaseGateway&) = delete;
  PurchaseGateway& operator=(const PurchaseGateway&) = delete;

  virtual std::string connector() const = 0;
  virtual std::string url() const = 0;
  /// An account with the offers standard 7.34 EUR (3 days) and express 12.40 EUR (1 day).
  virtual Account new_account(const std::string& name, bool test_mode) = 0;
  virtual void set_offers(const Account& account, const std::vector<Offer>& offers) = 0;
  /// The gateway's code of `standard` or `express`.
  virtual std::string service_code(std::string_view service) const = 0;
  /// The price that the next purchase charges instead of the offer's.
  virtual void charge_next(std::string price) = 0;

  /// Applies the fault to the next `times` calls of waybill.
  virtual void fail(PurchaseCall call, Fault fault, std::size_t times = 1) = 0;
  virtual void refuse_next(Refusal refusal) = 0;
  virtual void stop_failing() = 0;
  /// The carrier books the next purchase once the gate opens.
  virtual void hold_next_purchase(std::shared_ptr<Gate> gate) = 0;
  /// The number of calls of waybill.
  virtual std::size_t count(PurchaseCall call) const = 0;
  virtual bool wait_for_calls(PurchaseCall call, std::size_t count,
                              Deadline deadline = default_deadline) const = 0;

  /// All labels that the carrier has booked, in their order, voided ones too.
  virtual std::vector<Label> labels() const = 0;
  /// The numbers of the labels that the carrier has voided.
  virtual std::vector<std::string> voided() const = 0;
  /// The labels of one purchase.
  std::vector<Label> labels(std::string_view reference) const;

  /// A person buys a draft, or voids a label, in the gateway itself. Throw std::runtime_error if it fails.
  virtual void buy_by_hand(const Account& account, const std::string& gateway_id) = 0;
  virtual void void_by_hand(const Account& account, const std::string& gateway_id) = 0;
  /// True if a look-up of the draft finds a label.
  virtual bool shows_label(const Account& account, const std::string& gateway_id) = 0;
  /// The parcel moves, so that its label cannot be voided any more.
  virtual void scan(const std::string& number) = 0;

  /// The file of the label of one parcel; `format` is pdf, png or zpl.
  static std::string file(std::string_view number, std::string_view format);
};

class EasyPostGateway final : public PurchaseGateway {
 public:
  EasyPostSimulator& easypost() { return easypost_; }

  std::string connector() const override { return "easypost"; }
  std::string url() const override { return easypost_.url(); }
  Account new_account(const std::string& name, bool test_mode) override;
  void set_offers(const Account& account, const std::vector<Offer>& offers) override;
  std::string service_code(std::string_view service) const override;
  void charge_next(std::string price) override { easypost_.charge_next(std::move(price)); }
  void fail(PurchaseCall call, Fault fault, std::size_t times = 1) override;
  void refuse_next(Refusal refusal) override;
  void stop_failing() override { easypost_.stop_failing(); }
  void hold_next_purchase(std::shared_ptr<Gate> gate) override;
  std::size_t count(PurchaseCall call) const override;
  bool wait_for_calls(PurchaseCall call, std::size_t count,
                      Deadline deadline = default_deadline) const override;
  using PurchaseGateway::labels;
  std::vector<Label> labels() const override;
  std::vector<std::string> voided() const override;
  void buy_by_hand(const Account& account, const std::string& gateway_id) override;
  void void_by_hand(const Account& account, const std::string& gateway_id) override;
  bool shows_label(const Account& account, const std::string& gateway_id) override;
  void scan(const std::string& number) override;

 private:
  Response act(const Account& account, const std::string& path, const json::object& body);

  EasyPostSimulator easypost_;
};

/// A real Karrio, behind a front. Only if `KarrioServer::installed()`.
class KarrioGateway final : public PurchaseGateway {
 public:
  KarrioServer& karrio() { return karrio_; }
  KarrioCarrier& carrier() { return karrio_.carrier(); }

  std::string connector() const override { return "karrio"; }
  std::string url() const override { return front_.url(); }
  Account new_account(const std::string& name, bool test_mode) override;
  void set_offers(const Account& account, const std::vector<Offer>& offers) override;
  std::string service_code(std::string_view service) const override;
  void charge_next(std::string price) override { carrier().charge_next(std::move(price)); }
  void fail(PurchaseCall call, Fault fault, std::size_t times = 1) override;
  void refuse_next(Refusal refusal) override;
  void stop_failing() override;
  void hold_next_purchase(std::shared_ptr<Gate> gate) override;
  std::size_t count(PurchaseCall call) const override { return front_.count(call); }
  bool wait_for_calls(PurchaseCall call, std::size_t count,
                      Deadline deadline = default_deadline) const override;
  using PurchaseGateway::labels;
  std::vector<Label> labels() const override;
  std::vector<std::string> voided() const override;
  void buy_by_hand(const Account& account, const std::string& gateway_id) override;
  void void_by_hand(const Account& account, const std::string& gateway_id) override;
  bool shows_label(const Account& account, const std::string& gateway_id) override;
  void scan(const std::string& number) override;

 private:
  KarrioServer karrio_;
  GatewayFront front_{karrio_.port()};
};

}  // namespace waybill::tests
