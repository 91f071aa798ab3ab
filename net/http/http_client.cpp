#include "net/http/http_client.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <unordered_map>

#include "base/database_clock.hpp"
#include "base/thread/thread.hpp"
#include "net/http/curl_global.hpp"
#include "net/http/curl_loop.hpp"
#include "net/http/http1_client.hpp"
#include "net/http/http2_client.hpp"
#include "net/http/request_inbox.hpp"
#include "net/http/tls_sessions.hpp"
#include "net/http/transfer_pool.hpp"
#include "net/http/trust_store.hpp"

namespace waybill::net {

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
        connecting_pool_({options.user_agent, options.policy.allow_private, trust_, loop_, true}),
        guarded_(loop_, options),
        unguarded_(loop_, options),
        opening_(loop_, without_host_limit(options)),
        tls_(trust_),
        http2_(options.user_agent, loop_, tls_,
               {.complete = [this](const Done& done,
                                   HttpResponse response) { complete(done, std::move(response)); },
                .send_again = [this](StartedRequest request) { http1_.send(std::move(request)); },
                .has_place = [this](std::size_t closed) { http1_.use_places(closed); }}),
        http1_(
            {options.max_connections, options.max_connections_per_host, options.user_agent}, loop_, tls_,
            http2_, [this](Http1Client::ExchangeRef exchange) { connect(exchange); },
            [this](const Done& done, HttpResponse response) { complete(done, std::move(response)); }),
        thread_(ThreadKind::http_client, [this](const std::stop_token&) { run(); }) {}

  ~Impl() { stop(); }

  void stop() {
    if (!thread_.is_started()) return;
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
    const std::array lanes{&guarded_, &unguarded_, &opening_};
    while (inbox_.take(taken_)) {
      for (auto& [request, done] : taken_) start(std::move(request), std::move(done));
      taken_.clear();
      loop_.run_due(lanes);
      http1_.run_due();
      http2_.run_due();
      deliver(lanes);
      http2_.flush();
      const bool may_wait = inbox_.fall_asleep();
      loop_.run_ready(lanes, may_wait, earlier(http1_.deadline(), http2_.deadline()));
      deliver(lanes);
    }
    cancel_all();
  }

  /// `http1_` has the limit for a host. libcurl would close a connection that is just open for another one.
  static Options without_host_limit(Options options) {
    options.max_connections_per_host = 0;
    return options;
  }

  CurlLoop::Lane& lane_of(const CurlTransfer& transfer) {
    if (transfer.only_connects()) return opening_;
    return transfer.guarded() ? guarded_ : unguarded_;
  }

  void start(HttpRequest request, Done done) {
    if (auto target = http1_.target_of(request.url)) {
      StartedRequest started{.target = std::move(target),
                             .request = std::move(request),
                             .done = std::move(done),
                             .started_at = database_clock().now(),
                             .started = std::chrono::steady_clock::now()};
      return http2_.takes(*started.target, started.request) ? http2_.send(std::move(started))
                                                            : http1_.send(std::move(started));
    }
    start_by_curl(std::move(request), std::move(done));
  }

  void start_by_curl(HttpRequest request, Done done) {
    CurlTransfer& transfer = pool_.take();
    if (transfer.prepare(std::move(request), std::move(done))) {
      lane_of(transfer).add(transfer);
    } else {
      complete(transfer, transfer.refused());
    }
  }

  void deliver(std::span<CurlLoop::Lane* const> lanes) {
    while (!unconnectable_.empty()) {
      CurlTransfer& transfer = *unconnectable_.back();
      unconnectable_.pop_back();
      finish_connecting(transfer, CURLE_URL_MALFORMAT);
    }
    for (CurlLoop::Lane* const lane : lanes) {
      while (true) {
        const auto [transfer, code] = lane->take_finished();
        if (transfer == nullptr) break;
        if (transfer->only_connects()) {
          finish_connecting(*transfer, code);
        } else if (transfer->must_resend(code)) {
          lane->add(*transfer);
        } else {
          complete(*transfer, transfer->finish(code));
        }
      }
    }
  }

  /// Opens a connection for a request of `http1_`.
  void connect(Http1Client::ExchangeRef exchange) {
    CurlTransfer& transfer = connecting_pool_.take();
    connecting_.emplace(&transfer, exchange);
    if (transfer.prepare(Http1Client::connection_request(*exchange), {})) {
      lane_of(transfer).add(transfer);
    } else {
      unconnectable_.push_back(&transfer);
    }
  }

  void finish_connecting(CurlTransfer& transfer, CURLcode code) {
    const Http1Client::ExchangeRef exchange = connecting_.extract(&transfer).mapped();
    const int socket = transfer.take_socket();
    HttpResponse response = transfer.finish(code);
    connecting_pool_.give_back(transfer);
    if (socket >= 0) {
      http1_.connected(exchange, socket);
    } else {
      http1_.failed_to_connect(exchange, response.failure, std::move(response.error));
    }
  }

  void complete(CurlTransfer& transfer, HttpResponse response) {
    const Done done = transfer.take_done();
    pool_.give_back(transfer);
    complete(done, std::move(response));
  }

  void complete(const Done& done, HttpResponse response) {
    in_flight_.fetch_sub(1, std::memory_order_relaxed);
    done(std::move(response));
  }

  void cancel_all() {
    for (const auto& transfer : pool_.all()) {
      if (!transfer->active) continue;
      lane_of(*transfer).remove(*transfer);
      complete(transfer->take_done(), transfer->cancelled());
    }
    for (const auto& [transfer, exchange] : connecting_) {
      if (transfer->active) lane_of(*transfer).remove(*transfer);
    }
    http1_.cancel_all();
    http2_.cancel_all();
    // Requests that `done` sends are cancelled, too.
    do {
      for (auto& [request, done] : taken_) {
        HttpResponse response;
        response.failure = HttpFailure::cancelled;
        response.error = client_stopped;
        response.started_at = database_clock().now();
        complete(done, std::move(response));
      }
      taken_.clear();
      inbox_.take(taken_);
    } while (!taken_.empty());
  }

  TrustStore trust_;
  CurlLoop loop_;
  TransferPool pool_;
  TransferPool connecting_pool_;
  CurlLoop::Lane guarded_;
  CurlLoop::Lane unguarded_;
  CurlLoop::Lane opening_;  // of connections that are handed over, so that none is used for two requests
  TlsSessions tls_;
  Http2Client http2_;
  Http1Client http1_;
  std::unordered_map<CurlTransfer*, Http1Client::ExchangeRef> connecting_;  // connections being opened
  std::vector<CurlTransfer*> unconnectable_;  // some of these, whose URL libcurl refuses
  RequestInbox inbox_;
  std::vector<RequestInbox::Incoming> taken_;  // used by thread_ only
  std::atomic<std::size_t> in_flight_ = 0;
  Thread thread_;
};

HttpClient::HttpClient(const Options& options) {
  initialise_curl();
  impl_ = std::make_unique<Impl>(options);
}

HttpClient::~HttpClient() = default;

void HttpClient::stop(Moment /*until*/) { impl_->stop(); }

void HttpClient::send(HttpRequest request, Done done) { impl_->send(std::move(request), std::move(done)); }

std::size_t HttpClient::in_flight() const { return impl_->in_flight(); }

}  // namespace waybill::net
