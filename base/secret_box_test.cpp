#include "base/secret_box.hpp"

#include <fstream>
#include <set>
#include <sys/stat.h>
#include <thread>

#include <gtest/gtest.h>

namespace waybill {
namespace {

class SecretBoxTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("waybill-" + hex(random_bytes(8)));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file() const { return folder_ / "secret.key"; }
  void write(std::string_view text) const { std::ofstream(file(), std::ios::binary) << text; }

  std::filesystem::path folder_;
};

TEST_F(SecretBoxTest, OpensWhatItSealed) {
  const SecretBox box(SecretBox::read_or_make_key(file()));
  for (const std::string& secret : {std::string(), std::string("whsec_1"), std::string(5000, 'x')}) {
    EXPECT_EQ(box.open(box.seal(secret, "workflow:1"), "workflow:1"), secret);
  }
}

TEST_F(SecretBoxTest, SealsTheSameSecretDifferentlyEachTime) {
  const SecretBox box(SecretBox::Key{1});
  EXPECT_NE(box.seal("secret", "p"), box.seal("secret", "p"));
}

TEST_F(SecretBoxTest, SealsAlikeOnlyTheSameSecretForTheSamePurposeWithTheSameKey) {
  const SecretBox box(SecretBox::Key{1});
  const Bytes sealed = box.seal_alike("secret", "p");
  EXPECT_EQ(sealed, box.seal_alike("secret", "p"));
  EXPECT_EQ(sealed, SecretBox(SecretBox::Key{1}).seal_alike("secret", "p")) << "another process";
  EXPECT_EQ(box.open(sealed, "p"), "secret");
  const auto nonce_of = [](const Bytes& bytes) { return hex(std::span(bytes).first(24)); };
  std::set<std::string> nonces{nonce_of(sealed)};
  for (const auto& other :
       {box.seal_alike("secre", "p"), box.seal_alike("secret", ""), box.seal_alike("ecret", "ps"),
        box.seal_alike("", "psecret"), SecretBox(SecretBox::Key{2}).seal_alike("secret", "p")}) {
    EXPECT_TRUE(nonces.insert(nonce_of(other)).second);
  }
}

TEST_F(SecretBoxTest, SealsAlikeAgainOnceTheKeyIsReplaced) {
  SecretBox both(std::vector{SecretBox::Key{1}, SecretBox::Key{2}});
  const Bytes before = both.seal_alike("secret", "p");
  both.seal_with(1);
  EXPECT_NE(both.seal_alike("secret", "p"), before);
  EXPECT_EQ(both.open(before, "p"), "secret");
  EXPECT_EQ(both.seal_alike("secret", "p"), SecretBox(SecretBox::Key{2}).seal_alike("secret", "p"));
}

TEST_F(SecretBoxTest, SealsWithTheChosenKeyAndOpensWithEach) {
  const SecretBox first(SecretBox::Key{1});
  const SecretBox second(SecretBox::Key{2});
  SecretBox both(std::vector{SecretBox::Key{1}, SecretBox::Key{2}});
  EXPECT_EQ(first.open(both.seal("secret", "p"), "p"), "secret");
  both.seal_with(1);
  EXPECT_EQ(second.open(both.seal("secret", "p"), "p"), "secret");
  EXPECT_EQ(both.open_with_key(first.seal("secret", "p"), "p").key, 0U);
  EXPECT_EQ(both.open_with_key(second.seal("secret", "p"), "p").key, 1U);
  EXPECT_THROW(both.open(SecretBox(SecretBox::Key{3}).seal("secret", "p"), "p"), SecretError);
}

TEST_F(SecretBoxTest, AKeyHasItsOwnId) {
  EXPECT_EQ(SecretBox::id_of(SecretBox::Key{1}), SecretBox::id_of(SecretBox::Key{1}));
  EXPECT_NE(SecretBox::id_of(SecretBox::Key{1}), SecretBox::id_of(SecretBox::Key{2}));
}

TEST_F(SecretBoxTest, RefusesAnotherKeyPurposeOrByte) {
  const SecretBox box(SecretBox::Key{1});
  const Bytes sealed = box.seal("secret", "workflow:1");
  EXPECT_THROW(box.open(sealed, "workflow:2"), SecretError);
  EXPECT_THROW(SecretBox(SecretBox::Key{2}).open(sealed, "workflow:1"), SecretError);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    Bytes altered = sealed;
    altered[i] ^= 1;
    EXPECT_THROW(box.open(altered, "workflow:1"), SecretError) << i;
    EXPECT_THROW(box.open(std::span(sealed).first(i), "workflow:1"), SecretError) << i;
  }
}

TEST_F(SecretBoxTest, CreatesAKeyFileThatOnlyItsOwnerMayRead) {
  const auto key = SecretBox::read_or_make_key(file());
  std::ifstream input(file());
  const std::string text((std::istreambuf_iterator<char>(input)), {});
  EXPECT_EQ(text, hex(key) + "\n");
  struct stat status{};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(SecretBox::read_or_make_key(file()), key);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(SecretBoxTest, ProcessesThatStartAtOnceAgreeOnOneKey) {
  std::vector<SecretBox::Key> keys(16);
  {
    std::vector<std::jthread> threads;
    threads.reserve(keys.size());
    for (auto& key : keys) threads.emplace_back([&key, this] { key = SecretBox::read_or_make_key(file()); });
  }
  EXPECT_EQ(std::set(keys.begin(), keys.end()).size(), 1U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(SecretBoxTest, ReadsAKeyWithOrWithoutItsNewline) {
  const std::string digits(64, 'a');
  write(digits);
  EXPECT_EQ(SecretBox::read_key(file())[0], 0xaa);
  write(digits + "\n");
  EXPECT_EQ(SecretBox::read_key(file())[31], 0xaa);
}

TEST_F(SecretBoxTest, RefusesAMalformedKeyAndNamesOnlyTheFile) {
  for (const std::string& text :
       {std::string(), std::string(63, 'a'), std::string(65, 'a'), std::string(66, 'a'),
        std::string(63, 'a') + "g", std::string(64, 'a') + "\n\n"}) {
    write(text);
    try {
      SecretBox::read_or_make_key(file());
      ADD_FAILURE() << text;
    } catch (const SecretError& error) {
      EXPECT_NE(std::string(error.what()).find(file().string()), std::string::npos);
      EXPECT_EQ(std::string(error.what()).find("aaaa"), std::string::npos);
    }
  }
}

TEST_F(SecretBoxTest, AMissingFileOrFolderIsAnError) {
  EXPECT_THROW(SecretBox::read_key(file()), SecretError);
  EXPECT_THROW(SecretBox::read_or_make_key(folder_ / "none" / "secret.key"), SecretError);
}

}  // namespace
}  // namespace waybill
