#include "net/http/http_client.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <thread>

#include "net/http/curl_global.hpp"
#include "net/http/curl_loop.hpp"
#include "net/http/request_inbox.hpp"
#include "net/http/transfer_pool.hpp"
#include "net/http/trust_store.hpp"

namespace waybill::net {

std::string_view failure_text(HttpFailure failure) {
  switch (failure) {
    case HttpFailure::none:
      return "none";
    case HttpFailure::refused_destination:
      return "refused_destination";
    case HttpFailure::dns:
      return "dns";
    case HttpFailure::connect:
      return "connect";
    case HttpFailure::tls:
      return "tls";
    case HttpFailure::timeout:
      return "timeout";
    case HttpFailure::protocol:
      return "protocol";
    case HttpFailure::cancelled:
      return "cancelled";
  }
  return "unknown";
}

std::optional<std::string_view> HttpResponse::header(std::string_view lower_case_name) const {
  const auto found = std::ranges::find(headers, lower_case_name,
                                       [](const auto& header) { return std::string_view(header.first); });
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

class HttpClient::Impl {
 public:
  explicit Impl(const Options& options)
      : trust_(options.ca_file),
        pool_({options.user_agent, options.policy.allow_private, trust_, loop_}),
        guarded_(loop_, options),
        unguarded_(loop_, options),
        thread_([this] { run(); }) {}

  ~Impl() {
    inbox_.stop();
    loop_.wake();
    thread_.join();
  }

  void send(HttpRequest request, Done done) {
    in_flight_.fetch_add(1, std::memory_order_relaxed);
    if (inbox_.add(std::move(request), std::move(done))) loop_.wake();
  }

  std::size_t in_flight() const { return in_flight_.load(std::memory_order_relaxed); }

 private:
  void run() {
    block_sigpipe();
    const std::array lanes{&guarded_, &unguarded_};
    while (inbox_.take(taken_)) {
      for (auto& [request, done] : taken_) start(std::move(request), std::move(done));
      taken_.clear();
      loop_.run_due(lanes);
      deliver(lanes);
      const bool may_wait = inbox_.fall_asleep();
      loop_.run_ready(lanes, may_wait);
      deliver(lanes);
    }
    cancel_all();
  }

  CurlLoop::Lane& lane_of(const CurlTransfer& transfer) { return transfer.guarded() ? guarded_ : unguarded_; }

  void start(HttpRequest request, Done done) {
    CurlTransfer& transfer = pool_.take();
    if (transfer.prepare(std::move(request), std::move(done))) {
      lane_of(transfer).add(transfer);
    } else {
      complete(transfer, transfer.refused());
    }
  }

  void deliver(std::span<CurlLoop::Lane* const> lanes) {
    for (CurlLoop::Lane* const lane : lanes) {
      while (true) {
        const auto [transfer, code] = lane->take_finished();
        if (transfer == nullptr) break;
        if (transfer->must_resend(code)) {
          lane->add(*transfer);
        } else {
          complete(*transfer, transfer->finish(code));
        }
      }
    }
  }

  void complete(CurlTransfer& transfer, HttpResponse response) {
    const Done done = transfer.take_done();
    pool_.give_back(transfer);
    in_flight_.fetch_sub(1, std::memory_order_relaxed);
    done(std::move(response));
  }

  void cancel_all() {
    for (const auto& transfer : pool_.all()) {
      if (!transfer->active) continue;
      lane_of(*transfer).remove(*transfer);
      in_flight_.fetch_sub(1, std::memory_order_relaxed);
      transfer->take_done()(transfer->cancelled());
    }
    // Requests that `done` sends meanwhile are cancelled, too.
    do {
      for (auto& [request, done] : taken_) {
        in_flight_.fetch_sub(1, std::memory_order_relaxed);
        HttpResponse response;
        response.failure = HttpFailure::cancelled;
        response.error = "The client was stopped.";
        response.started_at = system_clock().now();
        done(std::move(response));
      }
      taken_.clear();
      inbox_.take(taken_);
    } while (!taken_.empty());
  }

  TrustStore trust_;
  CurlLoop loop_;
  TransferPool pool_;
  CurlLoop::Lane guarded_;
  CurlLoop::Lane unguarded_;
  RequestInbox inbox_;
  std::vector<RequestInbox::Incoming> taken_;  // used by thread_ only
  std::atomic<std::size_t> in_flight_ = 0;
  std::thread thread_;
};

HttpClient::HttpClient(const Options& options) {
  initialise_curl();
  impl_ = std::make_unique<Impl>(options);
}

HttpClient::~HttpClient() = default;

void HttpClient::send(HttpRequest request, Done done) { impl_->send(std::move(request), std::move(done)); }

std::size_t HttpClient::in_flight() const { return impl_->in_flight(); }

}  // namespace waybill::net
