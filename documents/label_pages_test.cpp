#include "documents/label_pages.hpp"

#include <array>
#include <cairo.h>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/qpdf.hpp"

namespace waybill::documents {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string written(QPDF& pdf, bool is_encrypted = false) {
  QPDFWriter writer(pdf);
  writer.setOutputMemory();
  writer.setStreamDataMode(qpdf_s_preserve);
  if (is_encrypted)
    writer.setR6EncryptionParameters("", "owner", true, true, true, true, true, true, qpdf_r3p_none, true);
  writer.write();
  const auto buffer = writer.getBufferSharedPointer();
  return {reinterpret_cast<const char*>(buffer->getBuffer()), buffer->getSize()};
}

std::string deflated(const std::string& bytes, std::size_t times = 1) {
  Pl_Buffer buffer("result");
  Pl_Flate flate("flate", &buffer, Pl_Flate::a_deflate);
  for (std::size_t i = 0; i < times; ++i)
    flate.write(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  flate.finish();
  const auto result = buffer.getBufferSharedPointer();
  return {reinterpret_cast<const char*>(result->getBuffer()), result->getSize()};
}

/// A PDF whose pages are so many points wide, each with its width as its contents.
std::string pdf_of(const std::vector<int>& widths) {
  QPDF pdf;
  pdf.emptyPDF();
  for (const int width : widths) {
    auto page = QPDFObjectHandle::parse("<< /Type /Page /Resources << >> >>");
    page.replaceKey("/MediaBox", QPDFObjectHandle::parse("[0 0 " + std::to_string(width) + " 432]"));
    page.replaceKey("/Contents", pdf.newStream("% " + std::to_string(width) + "\n"));
    pdf.addPage(pdf.makeIndirectObject(page), false);
  }
  return written(pdf);
}

/// A PDF of one page that `change` changes.
template <class Change>
std::string changed_pdf(Change change) {
  const std::string base = pdf_of({288});
  QPDF pdf;
  pdf.processMemoryFile("base", base.data(), base.size());
  auto page = pdf.getAllPages().at(0);
  change(pdf, page);
  return written(pdf);
}

std::vector<int> widths_of(const std::string& bytes) {
  QPDF pdf;
  pdf.processMemoryFile("result", bytes.data(), bytes.size());
  EXPECT_TRUE(pdf.getWarnings().empty());
  std::vector<int> widths;
  for (auto page : pdf.getAllPages()) {
    const auto box = page.getKey("/MediaBox").getArrayAsRectangle();
    widths.push_back(static_cast<int>(box.urx - box.llx));
    const auto text = page.getKey("/Contents").getStreamData();
    const std::string contents(reinterpret_cast<const char*>(text->getBuffer()), text->getSize());
    EXPECT_EQ(contents, "% " + std::to_string(widths.back()) + "\n");
  }
  return widths;
}

std::string pages_of(std::string bytes, FileFormat format = FileFormat::pdf) {
  return printable_pages({.format = format, .bytes = std::move(bytes)});
}

/// The reason why a label is refused; "none" if it is printed.
std::string refused(std::string bytes, FileFormat format = FileFormat::pdf) {
  try {
    pages_of(std::move(bytes), format);
  } catch (const UnprintableLabel& error) {
    return error.what();
  }
  return "none";
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned size) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

std::string png_of(int width, int height) {
  auto* const surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  std::string png;
  cairo_surface_write_to_png_stream(surface, append, &png);
  cairo_surface_destroy(surface);
  return png;
}

std::string big_endian(std::uint32_t number) {
  return {static_cast<char>(number >> 24U), static_cast<char>(number >> 16U), static_cast<char>(number >> 8U),
          static_cast<char>(number)};
}

std::uint32_t crc_of(const std::string& bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

constexpr std::size_t end_of_header = 8 + 25;  // signature and IHDR

std::string with_density(std::string png, std::uint32_t x, std::uint32_t y) {
  const std::string data = "pHYs" + big_endian(x) + big_endian(y) + '\1';
  return png.insert(end_of_header, big_endian(9) + data + big_endian(crc_of(data)));
}

std::string with_size(std::string png, std::uint32_t width, std::uint32_t height) {
  png.replace(16, 8, big_endian(width) + big_endian(height));
  return png.replace(29, 4, big_endian(crc_of(png.substr(12, 17))));
}

std::vector<int> page_of(const std::string& png) {
  const std::string bytes = pages_of(png, FileFormat::png);
  QPDF pdf;
  pdf.processMemoryFile("result", bytes.data(), bytes.size());
  auto page = pdf.getAllPages().at(0);
  const auto box = page.getKey("/MediaBox").getArrayAsRectangle();
  return {static_cast<int>(box.urx + 0.5), static_cast<int>(box.ury + 0.5)};
}

TEST(LabelPages, OfAPdfKeepTheirNumberOrderAndSize) {
  EXPECT_THAT(widths_of(pages_of(pdf_of({288, 300, 10}))), ElementsAre(288, 300, 10));
}

TEST(LabelPages, OfRandomSetsKeepTheirNumberAndOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<int> all;
    std::vector<std::string> pdfs;
    for (auto labels = 1 + random() % 8; labels > 0; --labels) {
      std::vector<int> widths;
      for (auto pages = 1 + random() % 5; pages > 0; --pages)
        widths.push_back(static_cast<int>(1 + random() % 1000));
      all.insert(all.end(), widths.begin(), widths.end());
      pdfs.push_back(pages_of(pdf_of(widths)));
    }
    EXPECT_EQ(widths_of(merge_pages(pdfs)), all);
  }
}

TEST(LabelPages, OfATestHaveTheWordAcrossThem) {
  const auto contents = [](const std::string& label, FileFormat format) {
    const auto bytes = printable_pages({.format = format, .bytes = label, .is_test = true});
    QPDF pdf;
    pdf.processMemoryFile("result", bytes.data(), bytes.size());
    EXPECT_TRUE(pdf.getWarnings().empty());
    std::string all;
    for (auto page : pdf.getAllPages()) {
      Pl_Buffer buffer("contents");
      QPDFPageObjectHelper(page).pipeContents(&buffer);
      const auto text = buffer.getBufferSharedPointer();
      all.append(reinterpret_cast<const char*>(text->getBuffer()), text->getSize());
      all += "|";
    }
    return all;
  };
  const auto two = contents(pdf_of({288, 490}), FileFormat::pdf);
  EXPECT_THAT(two, testing::MatchesRegex("q\n.*% 288\n.*Q\nq .* cm .* S Q\n\\|q\n.*% 490\n.*Q\nq .*\\|"));
  EXPECT_THAT(two, HasSubstr("q 80.000000 0 0 80.000000 49.000000 160.000000 cm"));
  EXPECT_THAT(contents(png_of(20, 20), FileFormat::png), HasSubstr("cm 0.6 G"));
}

TEST(LabelPages, OfEqualLabelsAreEqual) { EXPECT_EQ(pages_of(pdf_of({288})), pages_of(pdf_of({288}))); }

TEST(LabelPages, InheritSizeRotationAndResources) {
  const auto pdf = changed_pdf([](QPDF& whole, QPDFObjectHandle& page) {
    page.removeKey("/MediaBox");
    page.removeKey("/Resources");
    auto tree = whole.getRoot().getKey("/Pages");
    tree.replaceKey("/MediaBox", QPDFObjectHandle::parse("[0 0 288 432]"));
    tree.replaceKey("/Rotate", QPDFObjectHandle::newInteger(90));
    tree.replaceKey("/Resources", QPDFObjectHandle::parse("<< /Font << /F1 << /Type /Font >> >> >>"));
  });
  const auto pages = pages_of(pdf);
  EXPECT_THAT(widths_of(pages), ElementsAre(288));
  QPDF result;
  result.processMemoryFile("result", pages.data(), pages.size());
  auto page = result.getAllPages().at(0);
  EXPECT_EQ(page.getKey("/Rotate").getIntValue(), 90);
  EXPECT_TRUE(page.getKey("/Resources").getKey("/Font").getKey("/F1").isDictionary());
}

TEST(LabelPages, HaveNothingButContents) {
  const auto pdf = changed_pdf([](QPDF& whole, QPDFObjectHandle& page) {
    const auto script =
        whole.makeIndirectObject(QPDFObjectHandle::parse("<< /S /JavaScript /JS (app.alert\\(1\\)) >>"));
    auto root = whole.getRoot();
    root.replaceKey("/OpenAction", script);
    root.replaceKey("/AcroForm", QPDFObjectHandle::parse("<< /Fields [] >>"));
    auto file = whole.newStream("attached");
    file.getDict().replaceKey("/Type", QPDFObjectHandle::newName("/EmbeddedFile"));
    auto names = QPDFObjectHandle::parse("<< /EmbeddedFiles << /Names [(a)] >> >>");
    names.getKey("/EmbeddedFiles").getKey("/Names").appendItem(file);
    root.replaceKey("/Names", names);
    page.replaceKey("/AA", script);
    auto link = QPDFObjectHandle::parse("<< /Subtype /Link /Rect [0 0 9 9] >>");
    link.replaceKey("/A", script);
    page.replaceKey("/Annots", QPDFObjectHandle::newArray({whole.makeIndirectObject(link)}));
    auto image = whole.newStream("pixels");
    image.getDict().replaceKey("/F", QPDFObjectHandle::newString("/etc/passwd"));
    image.getDict().replaceKey("/Metadata", whole.newStream("author"));
    auto images = QPDFObjectHandle::newDictionary();
    images.replaceKey("/Im1", image);
    page.getKey("/Resources").replaceKey("/XObject", images);
    page.getKey("/Resources").replaceKey("/Stray", script);
  });
  for (const auto* const word :
       {"JavaScript", "EmbeddedFile", "AcroForm", "/Annots", "/etc/passwd", "author"}) {
    EXPECT_THAT(pdf, HasSubstr(word));
    EXPECT_THAT(pages_of(pdf), Not(HasSubstr(word)));
  }
  EXPECT_THAT(pages_of(pdf), HasSubstr("pixels"));
  EXPECT_THAT(widths_of(pages_of(pdf)), ElementsAre(288));
}

TEST(LabelPages, OfDamagedFilesAreRefused) {
  const auto whole = pdf_of({288, 300});
  EXPECT_EQ(refused(""), "has a damaged label");
  EXPECT_EQ(refused("%PDF-1.4\n"), "has a damaged label");
  EXPECT_EQ(refused("<html>The label has expired.</html>"), "has a damaged label");
  EXPECT_EQ(refused(whole.substr(0, whole.size() / 2)), "has a damaged label");
  auto lost = whole;
  lost.replace(lost.find("/Count 2"), 8, "/Count 3");
  EXPECT_EQ(refused(lost), "has a damaged label") << "a page is missing";
  EXPECT_EQ(refused(changed_pdf([](QPDF& pdf, QPDFObjectHandle& page) {
              auto contents = pdf.newStream("no zlib data");
              contents.getDict().replaceKey("/Filter", QPDFObjectHandle::newName("/FlateDecode"));
              page.replaceKey("/Contents", contents);
            })),
            "has a damaged label");
}

TEST(LabelPages, OfAFileWithAWrongCrossReferenceTableAreRepaired) {
  auto moved = pdf_of({288, 300});
  moved.replace(moved.rfind("startxref") + 10, 1, "9");
  EXPECT_THAT(widths_of(pages_of(moved)), ElementsAre(288, 300));
}

TEST(LabelPages, OfEncryptedFilesAreRefused) {
  const auto plain = pdf_of({288});
  QPDF pdf;
  pdf.processMemoryFile("plain", plain.data(), plain.size());
  EXPECT_EQ(refused(written(pdf, true)), "has an encrypted label");
}

TEST(LabelPages, NeedASize) {
  const auto with_box = [](const char* box) {
    return changed_pdf(
        [box](QPDF&, QPDFObjectHandle& page) { page.replaceKey("/MediaBox", QPDFObjectHandle::parse(box)); });
  };
  for (const auto* const box : {"null", "[0 0 0 0]", "[0 0 1 99999]", "[0 0 (a) 1]", "[1]"})
    EXPECT_EQ(refused(with_box(box)), "has a label with a page without a size") << box;
}

TEST(LabelPages, AreLimitedInNumber) {
  EXPECT_EQ(refused(pdf_of(std::vector<int>(most_pages, 288))), "none");
  EXPECT_EQ(refused(pdf_of(std::vector<int>(most_pages + 1, 288))), "has a label of more than 200 pages");
}

TEST(LabelPages, OfACyclicTreeAreRefused) {
  const auto cycle = changed_pdf([](QPDF& pdf, QPDFObjectHandle&) {
    auto tree = pdf.getRoot().getKey("/Pages");
    tree.getKey("/Kids").appendItem(tree);
  });
  EXPECT_EQ(refused(cycle), "has a damaged label");
}

TEST(LabelPages, AreLimitedInTheirContents) {
  const std::string mebibyte(std::size_t{1} << 20U, ' ');
  const auto with_contents = [&](std::size_t mebibytes) {
    return changed_pdf([&](QPDF& pdf, QPDFObjectHandle& page) {
      auto contents = pdf.newStream(deflated(mebibyte, mebibytes));
      contents.getDict().replaceKey("/Filter", QPDFObjectHandle::newName("/FlateDecode"));
      page.replaceKey("/Contents", contents);
    });
  };
  EXPECT_EQ(refused(with_contents(most_decoded_bytes >> 20U)), "none");
  EXPECT_EQ(refused(with_contents((most_decoded_bytes >> 20U) + 1)),
            "has a label with more than 256 MiB of contents");
}

TEST(LabelPages, AreLimitedInBytes) {
  EXPECT_EQ(refused(std::string(largest_label_file + 1, ' ')), "has a label of more than 10 MiB");
  auto padded = pdf_of({288});
  padded.insert(padded.find('\n') + 1, "%" + std::string(largest_label_file - padded.size() - 2, ' ') + "\n");
  EXPECT_EQ(padded.size(), largest_label_file);
  EXPECT_EQ(refused(padded), "none");
}

TEST(PngPages, HaveTheSizeOfThePrintersResolution) {
  EXPECT_THAT(page_of(with_density(png_of(812, 1218), 7992, 7992)), ElementsAre(288, 432)) << "203 dpi";
  EXPECT_THAT(page_of(with_density(png_of(600, 300), 11811, 11811)), ElementsAre(144, 72)) << "300 dpi";
}

TEST(PngPages, AreFourBySixInchesWithoutOne) {
  EXPECT_THAT(page_of(png_of(812, 1218)), ElementsAre(288, 432));
  EXPECT_THAT(page_of(png_of(100, 100)), ElementsAre(288, 432));
  EXPECT_THAT(page_of(png_of(1218, 812)), ElementsAre(432, 288)) << "the label lies";
  EXPECT_THAT(page_of(with_density(png_of(812, 1218), 2835, 2835)), ElementsAre(288, 432)) << "72 dpi";
  EXPECT_THAT(page_of(with_density(png_of(812, 1218), 0xFFFFFFFF, 1)), ElementsAre(288, 432));
}

TEST(PngPages, OfDamagedFilesAreRefused) {
  const auto png = png_of(20, 20);
  EXPECT_EQ(refused("%PDF-1.4", FileFormat::png), "has a label that is not a PNG");
  EXPECT_EQ(refused(png.substr(0, 20), FileFormat::png), "has a damaged label");
  EXPECT_EQ(refused(png.substr(0, png.size() - 20), FileFormat::png), "has a damaged label");
  EXPECT_EQ(refused(with_size(png, 0, 20), FileFormat::png), "has a damaged label");
}

TEST(PngPages, AreLimitedInPixels) {
  EXPECT_EQ(refused(with_size(png_of(20, 20), 5000, 5001), FileFormat::png),
            "has a label of more than 25 million pixels");
  EXPECT_EQ(refused(with_size(png_of(20, 20), 5000, 5000), FileFormat::png), "has a damaged label");
  EXPECT_EQ(refused(with_size(png_of(20, 20), 0xFFFFFFFF, 0xFFFFFFFF), FileFormat::png),
            "has a label of more than 25 million pixels");
}

TEST(LabelPages, OfRandomBytesAreRefusedOrComplete) {
  std::mt19937 random(11);
  const std::array<std::string, 2> seeds{pdf_of({288, 300}), png_of(30, 30)};
  for (int round = 0; round < 600; ++round) {
    const auto format = round % 2 == 0 ? FileFormat::pdf : FileFormat::png;
    std::string bytes = seeds[static_cast<std::size_t>(round % 2)];
    for (auto changes = 1 + random() % 8; changes > 0; --changes) {
      const auto at = random() % bytes.size();
      if (random() % 4 == 0) bytes.erase(at, 1 + random() % 20);
      if (bytes.empty()) break;
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    try {
      const auto pages = printable_pages({.format = format, .bytes = bytes});
      EXPECT_FALSE(merge_pages({pages, pages}).empty());
    } catch (const UnprintableLabel&) {
    } catch (const std::bad_alloc&) {
    }
  }
}

}  // namespace
}  // namespace waybill::documents
