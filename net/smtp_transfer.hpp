#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include "net/mail.hpp"
#include "net/trust_store.hpp"

namespace waybill::net {

/// What all transfers of a mailer share; outlives them.
struct SmtpSession {
  SmtpServer server;
  Duration connect_timeout;
  Duration total_timeout;
  const TrustStore& trust;
};

/// One message on a libcurl handle. Belongs to the mailer's thread.
class SmtpTransfer {
 public:
  SmtpTransfer(const SmtpSession& session, const MailMessage& message, Mailer::Done done);
  ~SmtpTransfer();
  SmtpTransfer(const SmtpTransfer&) = delete;
  SmtpTransfer& operator=(const SmtpTransfer&) = delete;

  CURL* easy() const { return easy_; }

  /// Tells how it ended after libcurl did with `code`.
  void finish(CURLcode code) const;
  void cancel() const { done_(stopped()); }
  /// Before it is taken off its multi handle unfinished: libcurl then says QUIT and waits for the answer, two
  /// minutes long by itself.
  void hurry() const { curl_easy_setopt(easy_, CURLOPT_SERVER_RESPONSE_TIMEOUT, 1L); }
  static MailOutcome stopped() { return {MailResult::temporary, "The mailer was stopped."}; }

 private:
  void set_envelope(const MailMessage& message);
  void set_security(const SmtpSession& session);
  MailOutcome outcome(CURLcode code) const;
  void on_reply_line(std::string_view line);
  void on_recipient_reply();

  static std::size_t read_callback(char* buffer, std::size_t size, std::size_t count, void* self);
  static int seek_callback(void* self, curl_off_t offset, int origin);
  static std::size_t reply_callback(char* data, std::size_t size, std::size_t count, void* self);
  static int trace_callback(CURL* easy, curl_infotype type, char* data, std::size_t size, void* self);
  static CURLcode ssl_context_callback(CURL* easy, void* context, void* trust);

  CURL* easy_;
  const std::vector<std::string> to_;
  curl_slist* recipients_ = nullptr;
  const std::string text_;
  std::size_t sent_ = 0;
  Mailer::Done done_;
  std::string reply_;  // the server's last, its lines joined
  bool reply_ended_ = true;
  bool asks_recipient_ = false;       // the next reply is about the next of to_
  std::size_t asked_ = 0;             // of to_
  std::vector<MailRefusal> refused_;  // of to_
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace waybill::net
