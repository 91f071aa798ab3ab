#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/guid.hpp"
#include "base/thread/service.hpp"
#include "net/http/http_client.hpp"
#include "net/mail/mail.hpp"
#include "tests/simulate/scheduler.hpp"

namespace waybill::simulate {

/// An attempt that a worker made.
struct Arrival {
  std::string message;  // webhook-id
  std::size_t destination;
  bool accepted;  // the destination answered 200, whether or not the answer arrived
};

/// The destinations of all workflows: they answer soon or late, fail, or answer when nobody listens.
class Destinations {
 public:
  static constexpr std::size_t count = 3;
  enum class Health : std::uint8_t { good, failing, silent, slow, losing };

  /// `sent` is called for each attempt when it begins, with the message and the worker.
  using Sent = std::function<void(const std::string& message, Owner owner)>;

  Destinations(Scheduler& scheduler, Sent sent) : scheduler_(scheduler), sent_(std::move(sent)) {}

  void set_health(std::size_t destination, Health health) { health_[destination % count] = health; }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  /// True if a worker has received the answer that a message was accepted.
  bool has_told(Owner owner, const std::string& message) const { return told_.contains({owner, message}); }
  static std::string url(std::size_t destination);

 private:
  friend class ModelHttp;
  friend class ModelMailer;

  Scheduler& scheduler_;
  const Sent sent_;
  std::map<std::size_t, Health> health_;
  std::vector<Arrival> arrivals_;
  std::set<std::pair<Owner, std::string>> told_;
};

/// The mailer of a worker: its server accepts each mail at once.
class ModelMailer final : public net::Mailer {
 public:
  explicit ModelMailer(Destinations& destinations) : destinations_(destinations) {}
  void cut_off() { is_cut_off_ = true; }

 private:
  void transmit(net::MailMessage message, Done done) override;

  Destinations& destinations_;
  bool is_cut_off_ = false;
};

/// The HTTP client of a worker.
class ModelHttp final : public net::HttpSender, public Service {
 public:
  explicit ModelHttp(Destinations& destinations) : destinations_(destinations) {}

  void send(net::HttpRequest request, Done done) override;
  /// Ends the attempts in flight as cancelled, and those that come later.
  void stop(Moment until) override;
  /// The process of the worker has ended: what it sends from now on is not sent.
  void cut_off() { is_cut_off_ = true; }

 private:
  struct Answer {
    std::string message;
    net::HttpResponse response;
    Duration after;
  };
  Answer answer(const net::HttpRequest& request);
  static net::HttpResponse cancelled();

  Destinations& destinations_;
  std::map<std::uint64_t, Done> open_;
  std::uint64_t last_ = 0;
  bool is_cut_off_ = false;
  bool is_closed_ = false;
};

}  // namespace waybill::simulate
