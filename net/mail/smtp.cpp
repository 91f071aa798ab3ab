#include "net/mail/smtp.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <unordered_map>

#include <curl/curl.h>

#include "base/number.hpp"
#include "base/share_limit.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/thread.hpp"
#include "base/time_share_queue.hpp"
#include "net/destination/curl_url.hpp"
#include "net/http/curl_global.hpp"
#include "net/http/trust_store.hpp"
#include "net/mail/smtp_transfer.hpp"

namespace waybill::net {
namespace {

constexpr std::size_t most_connections = 4;
// One is left to others, so that slow messages of one owner hold up nobody.
constexpr std::size_t connections_of_owner = most_connections - 1;
constexpr auto half_life = std::chrono::minutes(1);
constexpr int idle_wait_ms = 60'000;
constexpr int waiting_wait_ms = 250;  // while messages wait for their turn

}  // namespace

std::optional<SmtpServer> parse_smtp_url(std::string_view text) {
  const CurlUrl url = parse_curl_url(text);
  if (!url) return std::nullopt;
  const auto scheme = url_part(url, CURLUPART_SCHEME).value_or("");
  const auto host = url_part(url, CURLUPART_HOST);
  const auto port = url_part(url, CURLUPART_PORT);
  const auto query = url_part(url, CURLUPART_QUERY);
  const bool is_smtps = scheme == "smtps";
  const bool known_query = !query || (query == "tls=none" && !is_smtps);
  if (port && parse_number<int>(*port) == 0) return std::nullopt;
  if ((scheme != "smtp" && !is_smtps) || !host || host->empty() || !known_query ||
      url_part(url, CURLUPART_PATH).value_or("/") != "/" || url_part(url, CURLUPART_FRAGMENT)) {
    return std::nullopt;
  }
  return SmtpServer{.url = scheme + "://" + *host + (port ? ":" + *port : ""),
                    .user = url_part(url, CURLUPART_USER, CURLU_URLDECODE).value_or(""),
                    .password = url_part(url, CURLUPART_PASSWORD, CURLU_URLDECODE).value_or(""),
                    .allow_tls = !query};
}

std::optional<std::string> smtp_fault(const MailOptions& options) {
  initialise_curl();
  const TrustStore trust(options.ca_file);
  const SmtpSession session{parse_smtp_url(options.smtp_url).value(), std::chrono::seconds(5),
                            std::chrono::seconds(10), trust};
  const std::unique_ptr<CURL, void (*)(CURL*)> easy(curl_easy_init(), curl_easy_cleanup);
  if (!easy) throw std::bad_alloc();
  set_session(easy.get(), session);
  std::array<char, CURL_ERROR_SIZE> reason{};
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, reason.data());
  curl_easy_setopt(easy.get(), CURLOPT_CUSTOMREQUEST, "NOOP");
  curl_easy_setopt(easy.get(), CURLOPT_NOBODY, 1L);
  const CURLcode code = curl_easy_perform(easy.get());
  if (code == CURLE_OK) return std::nullopt;
  return reason[0] != '\0' ? reason.data() : curl_easy_strerror(code);
}

/// One thread and one multi handle; mails are rare, so curl_multi_poll is fast enough.
class SmtpMailer::Impl {
 public:
  Impl(SmtpServer server, const MailOptions& options)
      : trust_(options.ca_file),
        session_{std::move(server), options.connect_timeout, options.total_timeout, trust_},
        longest_wait_(options.longest_wait),
        most_waiting_(options.most_waiting),
        multi_(curl_multi_init()) {
    if (multi_ == nullptr) throw std::bad_alloc();
    curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(most_connections));
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(most_connections));
    thread_.start([this](const std::stop_token&) { run(); });
  }

  ~Impl() { curl_multi_cleanup(multi_); }

  void stop() {
    {
      const Lock lock(mutex_);
      stopping_ = true;
    }
    curl_multi_wakeup(multi_);
    thread_.join();
  }

  void send(MailMessage message, Done done) {
    {
      const Lock lock(mutex_);
      const std::string owner = message.owner;
      if (has_room(owner)) {
        inbox_.push(owner, {std::move(message), std::move(done), std::chrono::steady_clock::now()});
        done = nullptr;
      }
    }
    if (done) return done(not_attempted());
    curl_multi_wakeup(multi_);
  }

 private:
  struct Incoming {
    MailMessage message;
    Done done;
    std::chrono::steady_clock::time_point since;
  };

  struct Transfer {
    Transfer(std::unique_ptr<SmtpTransfer> begun, std::string of, std::chrono::steady_clock::time_point now)
        : transfer(std::move(begun)), owner(std::move(of)), began(now) {}
    CURL* easy() const { return transfer->easy(); }

    std::unique_ptr<SmtpTransfer> transfer;
    std::string owner;
    std::chrono::steady_clock::time_point began;
  };

  /// False if the inbox is full and the owner has its share of it.
  bool has_room(const std::string& owner) const REQUIRES(mutex_) {
    return !ShareLimit{.most = most_waiting_, .least = 0}.refuses(inbox_, owner);
  }

  static MailOutcome not_attempted() {
    return {MailResult::not_attempted, "Too many other mails were waiting."};
  }

  void run() {
    block_sigpipe();
    while (take_inbox()) {
      int running = 0;
      curl_multi_perform(multi_, &running);
      if (!deliver())
        curl_multi_poll(multi_, nullptr, 0, any_wait_ ? waiting_wait_ms : idle_wait_ms, nullptr);
    }
    cancel_all();
  }

  // Ends the messages whose turn did not come in time, then starts as many of the others as there are free
  // connections, because libcurl counts a message's time from its start. Returns false once the mailer must
  // stop. A process that has slept starts no message that another one may have sent in its place.
  bool take_inbox() {
    std::vector<Incoming> late, taken;
    const auto now = std::chrono::steady_clock::now();
    const auto may_send = [&](const std::string& owner) {
      const auto own = in_flight_.find(owner);
      return own == in_flight_.end() || own->second < connections_of_owner;
    };
    {
      const Lock lock(mutex_);
      if (stopping_) return false;
      late =
          inbox_.take_fronts([&](const Incoming& incoming) { return now - incoming.since > longest_wait_; });
      while (transfers_.size() + taken.size() < most_connections) {
        auto next = inbox_.pop_if(may_send, now);
        if (!next) break;
        ++in_flight_[next->message.owner];
        taken.push_back(*std::move(next));
      }
      any_wait_ = !inbox_.empty();
    }
    for (const Incoming& incoming : late) incoming.done(not_attempted());
    for (Incoming& incoming : taken) {
      const Transfer& started = transfers_.emplace_back(
          std::make_unique<SmtpTransfer>(session_, incoming.message, std::move(incoming.done)),
          incoming.message.owner, now);
      curl_multi_add_handle(multi_, started.transfer->easy());
    }
    return true;
  }

  // Reports the transfers that have ended. Returns true if there were any.
  bool deliver() {
    bool any = false;
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      const auto finished = std::ranges::find(transfers_, message->easy_handle, &Transfer::easy);
      const Transfer ended = std::move(*finished);
      transfers_.erase(finished);
      curl_multi_remove_handle(multi_, ended.easy());
      count_time(ended);
      ended.transfer->finish(code);
      any = true;
    }
    return any;
  }

  void count_time(const Transfer& ended) {
    const auto own = in_flight_.find(ended.owner);
    if (--own->second == 0) in_flight_.erase(own);
    const auto now = std::chrono::steady_clock::now();
    const Lock lock(mutex_);
    shares_.ended(ended.owner, 1, now - ended.began, now);
  }

  void cancel_all() {
    for (const Transfer& each : transfers_) {
      each.transfer->limit_quit_time();
      curl_multi_remove_handle(multi_, each.easy());
      each.transfer->cancel();
    }
    transfers_.clear();
    Lock lock(mutex_);
    while (!inbox_.empty()) {
      const Done done = inbox_.pop(std::chrono::steady_clock::now()).done;
      lock.unlock();
      done(SmtpTransfer::stopped());
      lock.lock();
    }
  }

  TrustStore trust_;
  const SmtpSession session_;
  const Duration longest_wait_;
  const std::size_t most_waiting_;
  CURLM* multi_;
  std::vector<Transfer> transfers_;
  std::unordered_map<std::string, std::size_t> in_flight_;  // transfers by owner
  bool any_wait_ = false;                                   // in the inbox, after the last look
  Mutex mutex_;
  TimeShares<std::string> shares_ GUARDED_BY(mutex_){half_life};
  TimeShareQueue<std::string, Incoming> inbox_ GUARDED_BY(mutex_){shares_};  // by owner
  bool stopping_ GUARDED_BY(mutex_) = false;
  Thread thread_{ThreadKind::mailer};
};

SmtpMailer::SmtpMailer(SmtpServer server, const MailOptions& options) {
  initialise_curl();
  impl_ = std::make_unique<Impl>(std::move(server), options);
}

SmtpMailer::~SmtpMailer() { stop_at_once(); }

void SmtpMailer::end(Moment /*until*/) { impl_->stop(); }

void SmtpMailer::transmit(MailMessage message, Done done) {
  impl_->send(std::move(message), std::move(done));
}

}  // namespace waybill::net
