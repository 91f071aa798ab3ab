#include "net/mail/smtp_transfer.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/database_clock.hpp"
#include "base/utf8.hpp"
#include "net/mail/mail_domain.hpp"

namespace waybill::net {
namespace {

constexpr std::size_t longest_reply = 1'000;   // bytes
constexpr long longest_idle_seconds = 30;      // servers close idle connections, some after a minute
constexpr long authentication_required = 530;  // RFC 4954 section 6; for TLS RFC 3207 section 4

long to_ms(Duration duration) {
  return std::max<long>(1, std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

#if LIBCURL_VERSION_NUM < 0x080200
constexpr auto continue_without_refused = CURLOPT_MAIL_RCPT_ALLLOWFAILS;
#else
constexpr auto continue_without_refused = CURLOPT_MAIL_RCPT_ALLOWFAILS;
#endif

bool is_final_refusal(long status) { return status >= 500 && status != authentication_required; }

CURLcode ssl_context_callback(CURL* /*easy*/, void* context, void* trust) {
  static_cast<const TrustStore*>(trust)->apply_to(static_cast<SSL_CTX*>(context));
  return CURLE_OK;
}

std::string path_of(const std::string& mailbox) {
  return "<" + ascii_domain_address(parse_mailbox(mailbox).value_or(Mailbox{}).address) + ">";
}

}  // namespace

void set_session(CURL* easy, const SmtpSession& session) {
  const auto set = [easy](CURLoption option, auto value) { curl_easy_setopt(easy, option, value); };
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // a hanging name server must not delay the end of the process
  set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  set(CURLOPT_PROXY, "");  // ignores the environment's proxy
  set(CURLOPT_URL, session.server.url.c_str());
  set(CURLOPT_CONNECTTIMEOUT_MS, to_ms(session.connect_timeout));
  set(CURLOPT_TIMEOUT_MS, to_ms(session.total_timeout));
  const auto& server = session.server;
  const bool has_credentials = !server.user.empty();
  if (has_credentials) {
    set(CURLOPT_USERNAME, server.user.c_str());
    set(CURLOPT_PASSWORD, server.password.c_str());
  }
  const long tls = !server.allow_tls ? CURLUSESSL_NONE : has_credentials ? CURLUSESSL_ALL : CURLUSESSL_TRY;
  set(CURLOPT_USE_SSL, tls);
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  // The certificates come only from the shared store.
  set(CURLOPT_CAINFO, nullptr);
  set(CURLOPT_CAPATH, nullptr);
  set(CURLOPT_SSL_CTX_FUNCTION, &ssl_context_callback);
  set(CURLOPT_SSL_CTX_DATA, &session.trust);
}

SmtpTransfer::SmtpTransfer(const SmtpSession& session, const MailMessage& message, Mailer::Done done)
    : easy_(curl_easy_init()),
      to_(message.recipients()),
      text_(format_mail(message, database_clock().now())),
      done_(std::move(done)) {
  if (easy_ == nullptr) throw std::bad_alloc();
  const auto set = [this](CURLoption option, auto value) { curl_easy_setopt(easy_, option, value); };
  set(CURLOPT_MAXAGE_CONN, longest_idle_seconds);
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  set(CURLOPT_HEADERFUNCTION, &reply_callback);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &reply_callback);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_DEBUGFUNCTION, &trace_callback);  // shows the command that a reply answers
  set(CURLOPT_DEBUGDATA, this);
  set(CURLOPT_VERBOSE, 1L);
  set(CURLOPT_UPLOAD, 1L);
  set(CURLOPT_READFUNCTION, &read_callback);
  set(CURLOPT_READDATA, this);
  set(CURLOPT_SEEKFUNCTION, &seek_callback);
  set(CURLOPT_SEEKDATA, this);
  set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(text_.size()));
  set_session(easy_, session);
  set_envelope(message);
}

SmtpTransfer::~SmtpTransfer() {
  curl_easy_cleanup(easy_);
  curl_slist_free_all(recipients_);
}

void SmtpTransfer::set_envelope(const MailMessage& message) {
  curl_easy_setopt(easy_, CURLOPT_MAIL_FROM, path_of(message.from).c_str());
  for (const auto& to : to_) {
    auto* const longer = curl_slist_append(recipients_, path_of(to).c_str());
    if (longer == nullptr) throw std::bad_alloc();
    recipients_ = longer;
  }
  curl_easy_setopt(easy_, CURLOPT_MAIL_RCPT, recipients_);
  curl_easy_setopt(easy_, continue_without_refused, 1L);
}

void SmtpTransfer::finish(CURLcode code) const { done_(outcome(code)); }

MailOutcome SmtpTransfer::outcome(CURLcode code) const {
  if (code == CURLE_OK) return {MailResult::sent, reply_, refused_};
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  const bool refuses_message =
      code == CURLE_SEND_ERROR || (code == CURLE_WEIRD_SERVER_REPLY && sent_ == text_.size());
  const bool has_refusal = status >= 400 && !reply_.empty();
  if (has_refusal && refuses_message) {
    const auto retryable = std::ranges::find(refused_, false, &MailRefusal::is_final);
    if (sent_ == 0 && retryable != refused_.end()) return {MailResult::temporary, retryable->reply};
    return {is_final_refusal(status) ? MailResult::permanent : MailResult::temporary, reply_};
  }
  std::string reason = error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code);
  if (has_refusal) reason += " (" + reply_ + ")";
  return {MailResult::temporary, to_text(reason)};
}

void SmtpTransfer::on_reply_line(std::string_view line) {
  if (line.starts_with("221")) return;  // the reply to QUIT, which libcurl sends after a refusal
  // A hyphen after the code means that more lines follow (RFC 5321 section 4.2.1).
  if (reply_ended_) reply_.clear();
  reply_ended_ = line.size() < 4 || line[3] != '-';
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  if (!reply_.empty()) {
    reply_ += ' ';
    line.remove_prefix(std::min<std::size_t>(line.size(), 4));
  }
  reply_ += to_text(line);
  if (reply_.size() > longest_reply) reply_.resize(valid_utf8_prefix(reply_.substr(0, longest_reply)));
  if (reply_ended_ && std::exchange(asks_recipient_, false) && asked_ < to_.size()) on_recipient_reply();
}

void SmtpTransfer::on_recipient_reply() {
  const std::string& to = to_[asked_++];
  if (reply_.starts_with('2')) return;
  refused_.push_back({to, is_final_refusal(std::strtol(reply_.c_str(), nullptr, 10)), reply_});
}

int SmtpTransfer::trace_callback(CURL* /*easy*/, curl_infotype type, char* data, std::size_t size,
                                 void* self) {
  auto& transfer = *static_cast<SmtpTransfer*>(self);
  if (type == CURLINFO_HEADER_OUT) {
    transfer.asks_recipient_ = std::string_view(data, size).starts_with("RCPT TO:");
  }
  return 0;
}

std::size_t SmtpTransfer::read_callback(char* buffer, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<SmtpTransfer*>(self);
  const auto piece = transfer.text_.copy(buffer, size * count, transfer.sent_);
  transfer.sent_ += piece;
  return piece;
}

int SmtpTransfer::seek_callback(void* self, curl_off_t offset, int origin) {
  auto& transfer = *static_cast<SmtpTransfer*>(self);
  if (origin != SEEK_SET || offset < 0 || static_cast<std::size_t>(offset) > transfer.text_.size())
    return CURL_SEEKFUNC_CANTSEEK;
  transfer.sent_ = static_cast<std::size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

std::size_t SmtpTransfer::reply_callback(char* data, std::size_t size, std::size_t count, void* self) {
  static_cast<SmtpTransfer*>(self)->on_reply_line({data, size * count});
  return size * count;
}

}  // namespace waybill::net
