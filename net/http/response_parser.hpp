#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/http/received_response.hpp"

namespace waybill::net {

/// Reads the answer to one request from the bytes of a connection (HTTP/1.0 and 1.1, RFC 9112) into a
/// ReceivedResponse. Interim answers (1xx) are skipped. A line may also end without a CR. Used for one answer
/// after another. Pure. One thread.
class ResponseParser {
 public:
  enum class State {
    incomplete,  // more bytes must follow
    complete,
    cut,        // the body exceeds its limit; the answer is valid, the connection is not
    malformed,  // no answer; `problem` says why
  };

  /// Begins an answer, which `received` collects. It must exist until the answer ends. Answers to HEAD have
  /// no body.
  void begin(ReceivedResponse& received, bool answers_head);

  /// Takes the next bytes, and returns the state after them. Not to be called after the end of the answer.
  State take(std::string_view bytes);

  /// Notes that the other side sends no more, and returns the final state.
  State end();

  int status() const { return status_; }
  /// After `complete`: true if the connection can carry another request.
  bool keeps_connection() const { return keeps_connection_; }
  /// After `malformed`: a sentence for people.
  const char* problem() const { return problem_; }

 private:
  enum class Part { status_line, headers, body, until_close, chunk_size, chunk, chunk_end, trailers, over };

  bool take_line(std::string_view& bytes, std::string_view& line);
  void take_body(std::string_view& bytes);
  void on_line(std::string_view line);
  void on_status_line(std::string_view line);
  void on_header(std::string_view line);
  void on_length(std::string_view value);
  void on_connection(std::string_view value);
  void on_end_of_headers();
  void on_chunk_size(std::string_view line);
  void on_trailer(std::string_view line);
  void finish(State state);
  void fail(const char* problem);

  ReceivedResponse* received_ = nullptr;
  bool answers_head_ = false;
  State state_ = State::incomplete;
  Part part_ = Part::status_line;
  std::string line_;  // the beginning of a line whose end has not arrived
  const char* problem_ = "";
  int status_ = 0;
  bool keeps_connection_ = false;
  bool has_length_ = false;
  bool has_coding_ = false;  // Transfer-Encoding
  bool is_chunked_ = false;
  std::uint64_t left_ = 0;  // bytes of the body, or of the chunk, that have not arrived
  std::size_t trailer_bytes_ = 0;
};

}  // namespace waybill::net
