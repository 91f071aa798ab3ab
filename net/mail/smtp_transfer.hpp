#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include "net/http/trust_store.hpp"
#include "net/mail/mail.hpp"

namespace waybill::net {

/// Shared by all transfers of a mailer; outlives them.
struct SmtpSession {
  SmtpServer server;
  Duration connect_timeout;
  Duration total_timeout;
  const TrustStore& trust;
};

/// Sets the server, its credentials, TLS and the time limits of a handle.
void set_session(CURL* easy, const SmtpSession& session);

/// One message on a libcurl handle. Used on the mailer's thread only.
class SmtpTransfer {
 public:
  SmtpTransfer(const SmtpSession& session, const MailMessage& message, Mailer::Done done);
  ~SmtpTransfer();
  SmtpTransfer(const SmtpTransfer&) = delete;
  SmtpTransfer& operator=(const SmtpTransfer&) = delete;

  CURL* easy() const { return easy_; }

  /// Reports the outcome after libcurl ended with `code`.
  void finish(CURLcode code) const;
  void cancel() const { done_(stopped()); }
  /// Call before an unfinished transfer is removed from its multi handle: libcurl then sends QUIT and would
  /// wait up to two minutes for the answer.
  void limit_quit_time() const { curl_easy_setopt(easy_, CURLOPT_SERVER_RESPONSE_TIMEOUT, 1L); }
  static MailOutcome stopped() { return {MailResult::temporary, "The mailer was stopped."}; }

 private:
  void set_envelope(const MailMessage& message);
  MailOutcome outcome(CURLcode code) const;
  void on_reply_line(std::string_view line);
  void on_recipient_reply();

  static std::size_t read_callback(char* buffer, std::size_t size, std::size_t count, void* self);
  static int seek_callback(void* self, curl_off_t offset, int origin);
  static std::size_t reply_callback(char* data, std::size_t size, std::size_t count, void* self);
  static int trace_callback(CURL* easy, curl_infotype type, char* data, std::size_t size, void* self);

  CURL* easy_;
  const std::vector<std::string> to_;
  curl_slist* recipients_ = nullptr;
  const std::string text_;
  std::size_t sent_ = 0;
  Mailer::Done done_;
  std::string reply_;  // the server's last reply, its lines joined
  bool reply_ended_ = true;
  bool asks_recipient_ = false;       // true if the next reply answers RCPT for to_[asked_]
  std::size_t asked_ = 0;             // recipients of to_ that have a reply
  std::vector<MailRefusal> refused_;  // recipients of to_
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace waybill::net
