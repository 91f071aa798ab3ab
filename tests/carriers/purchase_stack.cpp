#include "tests/carriers/purchase_stack.hpp"

#include <csignal>
#include <stdexcept>
#include <utility>

#include "tests/crash/faults.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

/// The call does not take effect; once the gate opens, the connection ends.
Fault never_done(std::shared_ptr<Gate> gate) { return without_effect(lost_after(std::move(gate))); }

PurchaseCall call_at(PurchasePoint point) {
  switch (point) {
    case PurchasePoint::before_lookup:
      return PurchaseCall::find;
    case PurchasePoint::before_draft:
    case PurchasePoint::drafted:
      return PurchaseCall::draft;
    case PurchasePoint::before_booking:
    case PurchasePoint::booked:
    case PurchasePoint::answered:
    case PurchasePoint::storing:
      break;
  }
  return PurchaseCall::buy;
}

}  // namespace

std::string_view name_of(PurchasePoint point) {
  switch (point) {
    case PurchasePoint::before_lookup:
      return "before the look-up";
    case PurchasePoint::before_draft:
      return "before the draft";
    case PurchasePoint::drafted:
      return "drafted";
    case PurchasePoint::before_booking:
      return "before the booking";
    case PurchasePoint::booked:
      return "booked";
    case PurchasePoint::answered:
      return "answered";
    case PurchasePoint::storing:
      break;
  }
  return "storing the answer";
}

std::string_view name_of(Victim victim) {
  switch (victim) {
    case Victim::worker:
      return "worker";
    case Victim::api:
      return "API";
    case Victim::database:
      return "database";
    case Victim::karrio:
      return "Karrio";
    case Victim::older_karrio:
      return "Karrio, which comes back from a backup";
    case Victim::everything:
      break;
  }
  return "everything";
}

PurchaseStack::PurchaseStack() {
  start_up();
  start_api();
}

std::vector<std::string> PurchaseStack::arguments() const {
  return {"--carrier-gateway", easypost_.url(), "--carrier-gateway",
          karrio_.url(),       "--public-url",  "http://waybill.example"};
}

void PurchaseStack::start_up() {
  Waybill::Options options;
  options.arguments = arguments();
  options.data_dir = directory_ / "data";
  up_ = std::make_unique<Waybill>("", options);
}

void PurchaseStack::start_api() {
  Waybill::Options options;
  options.command = "api";
  options.arguments = arguments();
  options.secret_key_file = up_->secret_key_file();
  api_ = std::make_unique<Waybill>(up_->database_url(), options);
}

PurchaseGateway& PurchaseStack::gateway(bool is_karrio) {
  return is_karrio ? static_cast<PurchaseGateway&>(karrio_) : easypost_;
}

void PurchaseStack::kill(Victim victim) {
  const bool all = victim == Victim::everything;
  const auto end = [](Waybill& waybill) {
    waybill.process().kill(SIGKILL);
    waybill.process().wait_exit();
  };
  if (victim == Victim::database || all) {
    const auto pid = postmaster(directory_ / "data");
    if (!pid) throw std::runtime_error("PostgreSQL does not run");
    for (const pid_t process : process_tree(*pid)) ::kill(process, SIGKILL);
  }
  if (victim == Victim::worker || all) end(*up_);
  if (victim == Victim::api || all) end(*api_);
  if (victim == Victim::karrio || victim == Victim::older_karrio || all) karrio_.karrio().kill();
  if (victim == Victim::older_karrio) karrio_.karrio().restore(first_karrio_);
}

void PurchaseStack::repair() {
  if (!up_->process().running()) start_up();
  if (!api_->process().running()) start_api();
  karrio_.karrio().restart();
  connect();
  const bool answers = eventually([&] { return http("").get("/readyz").status == 200; }, recovery_limit);
  if (!answers) throw std::runtime_error("the API does not come back");
}

Session PurchaseStack::connect() const {
  std::optional<Session> session;
  eventually(
      [&] {
        try {
          session.emplace(up_->database_url());
          return true;
        } catch (const std::runtime_error&) {
          return false;
        }
      },
      recovery_limit);
  if (!session) throw std::runtime_error("the database does not come back");
  return std::move(*session);
}

void PurchaseStack::stop_at(PurchasePoint point, bool is_karrio, const std::shared_ptr<Gate>& gate) {
  PurchaseGateway& used = gateway(is_karrio);
  switch (point) {
    case PurchasePoint::before_lookup:
    case PurchasePoint::before_draft:
      used.fail(call_at(point), never_done(gate));
      break;
    case PurchasePoint::before_booking:
      used.hold_next_purchase(gate);
      break;
    case PurchasePoint::booked:
      if (is_karrio) {
        karrio_.carrier().fail(KarrioCarrier::Call::buy, slow_answer(gate));
        break;
      }
      [[fallthrough]];
    case PurchasePoint::drafted:
    case PurchasePoint::answered:
    case PurchasePoint::storing:
      used.fail(call_at(point), slow_answer(gate));
      break;
  }
}

std::size_t PurchaseStack::arrivals(PurchasePoint point, bool is_karrio) {
  switch (point) {
    case PurchasePoint::before_booking:
      return is_karrio ? karrio_.carrier().count(KarrioCarrier::Call::buy)
                       : easypost_.count(PurchaseCall::buy);
    case PurchasePoint::booked:
    case PurchasePoint::answered:
    case PurchasePoint::storing:
      return gateway(is_karrio).labels().size();
    case PurchasePoint::before_lookup:
    case PurchasePoint::before_draft:
    case PurchasePoint::drafted:
      break;
  }
  return gateway(is_karrio).count(call_at(point));
}

}  // namespace waybill::tests
