#include "api/gate/compression.hpp"

#include <array>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#include <zlib.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

namespace waybill::api {
namespace {

std::string unpacked(const std::string& packed, std::size_t size) {
  std::string text(size + 1, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string input = packed;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(text.size() - stream.avail_out);
  inflateEnd(&stream);
  return text;
}

TEST(Compression, AnAcceptedCodingIsUsedUnlessAnotherIsMoreWelcome) {
  for (const std::string_view accepted :
       {"gzip", "x-gzip", "GZIP", "deflate, gzip, br", "gzip;q=0.5", "gzip ; q=0.001", "*", "br, *;q=0.1",
        "gzip, identity", "gzip;q=1.0, identity;q=0.5", "identity;q=0, gzip;q=0.1", "gzip;level=1;q=1"}) {
    EXPECT_TRUE(wants_gzip(accepted, least_compressed)) << accepted;
  }
  for (const std::string_view accepted :
       {"", "identity", "br", "gzip;q=0", "gzip;q=0.000", "gzip;q=0, *", "*;q=0", "gzip;q=0.5, identity",
        "gzip;q=0.4, identity;q=0.5", "gzip;q=x", "gzip;q=", "gzip;q=-1", "gzip;q=2", "gzip;q=nan", "gzipped",
        "identity;q=0", ";;,,=", "gzip;q=0;q=1"}) {
    EXPECT_FALSE(wants_gzip(accepted, 1'000'000)) << accepted;
  }
}

TEST(Compression, AShortBodyIsCompressedOnlyForAClientThatRefusesOthers) {
  EXPECT_TRUE(wants_gzip("gzip", least_compressed));
  EXPECT_FALSE(wants_gzip("gzip", least_compressed - 1));
  EXPECT_TRUE(wants_gzip("gzip, identity;q=0", 1));
  EXPECT_TRUE(wants_gzip("gzip, *;q=0", 1));
  EXPECT_FALSE(wants_gzip("gzip, identity;q=0.1, *;q=0", 1));
}

TEST(Compression, APackedBodyIsThatOfItsParts) {
  std::string large;
  for (int i = 0; i < 100'000; ++i) large += std::to_string(i * 7919 % 100'003) + ",";
  for (const std::string& body : {std::string(), std::string("x"), large, std::string("short after long")}) {
    const auto packed = gzip(std::array<std::string_view, 3>{R"({"data":)", body, "}"});
    EXPECT_EQ(unpacked(packed, body.size() + 9), R"({"data":)" + body + "}");
  }
}

TEST(Compression, OnlyJsonThatAGetReadsForATokenIsCompressed) {
  Endpoint endpoint{.method = Method::get, .path = "/x", .permission = Permission::read, .handler = nullptr};
  Response response;
  EXPECT_TRUE(may_be_compressed(endpoint, response));
  response.content_type = "application/pdf";
  EXPECT_FALSE(may_be_compressed(endpoint, response));
  response.content_type = "application/json";
  endpoint.permission = Permission::everyone;
  EXPECT_FALSE(may_be_compressed(endpoint, response));
  endpoint.permission = Permission::administer;
  endpoint.method = Method::post;
  EXPECT_FALSE(may_be_compressed(endpoint, response)) << "the answer can have a new secret";
  endpoint.method = Method::get;
  endpoint.changes = true;
  EXPECT_FALSE(may_be_compressed(endpoint, response));
}

TEST(Compression, ALongBodyStaysAsItIsWhileWorkWaitsForTheThreads) {
  for (const bool is_busy : {true, false}) {
    for (const std::size_t size : {most_on_io_thread, most_on_io_thread + 1}) {
      asio::io_context io;
      Background background({.threads = 1});
      std::promise<void> gate;
      const std::shared_future<void> opened = gate.get_future().share();
      std::vector<std::future<void>> held(is_busy ? 2 : 0);
      for (auto& one : held) {
        one =
            asio::co_spawn(io, background.run(Guid::random(), [opened] { opened.wait(); }), asio::use_future);
      }
      Response response;
      response.body.assign(size, 'x');
      auto result = asio::co_spawn(io, compress(response, background, Guid::random()), asio::use_future);
      std::thread thread([&] { io.run(); });
      const bool expected = !is_busy || size == most_on_io_thread;
      EXPECT_EQ(result.get(), expected);
      EXPECT_EQ(response.body.size() < size, expected);
      gate.set_value();
      for (auto& one : held) one.get();
      thread.join();
    }
  }
}

}  // namespace
}  // namespace waybill::api
