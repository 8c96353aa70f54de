#include "encoder.hpp"

#include "common/paths.hpp"
#include "libav.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace video {

namespace {

struct CloseOutput {
  void operator()(AVFormatContext* container) const {
    if (container->pb != nullptr) avio_closep(&container->pb);
    avformat_free_context(container);
  }
};
using OutputPtr = std::unique_ptr<AVFormatContext, CloseOutput>;

// MPEG-4 counts at most so many ticks a second.
constexpr int most_mpeg4_ticks = 65535;

// "folder/.name.123.part", beside the file, since only a rename within one file system is all or
// nothing.
std::filesystem::path hidden_beside(const std::filesystem::path& file) {
  static std::atomic<int> count = 0;
  auto name = fmt::format(".{}.{}-{}.part", file.filename().string(), ::getpid(), count++);
  return file.parent_path() / name;
}

// Removes the file that it names, once there is one.
struct HiddenFile {
  std::filesystem::path name;
  bool there = false;

  explicit HiddenFile(std::filesystem::path path) : name(std::move(path)) {}
  HiddenFile(const HiddenFile&) = delete;
  HiddenFile& operator=(const HiddenFile&) = delete;
  ~HiddenFile() {
    std::error_code ignored;
    if (there) std::filesystem::remove(name, ignored);
  }
};

}  // namespace

struct Encoder::Stream {
  Stream(const std::filesystem::path& clip, const ClipFormat& clip_format,
         const EncoderOptions& options);

  void write(std::span<const std::uint32_t> frame, std::int64_t time);
  void finish();
  void keep();

 private:
  void choose_container();
  void open_codec(const EncoderOptions& options);
  void open_file();
  // Gives the codec a frame, or the end, and the container every packet that comes out.
  void encode(const AVFrame* frame);
  [[noreturn]] void fail(const std::string& why) const {
    throw BadOutput(fmt::format("cannot write {}: {}", name.string(), why));
  }

  std::filesystem::path name;
  std::filesystem::path target;  // where a link of that name leads
  HiddenFile hidden;             // removed after the container has closed it
  ClipFormat format;
  OutputPtr container;
  AVStream* stream = nullptr;  // the container's
  CodecPtr codec;
  FramePtr picture{av_frame_alloc()};
  PacketPtr packet{av_packet_alloc()};
};

Encoder::Stream::Stream(const std::filesystem::path& clip, const ClipFormat& clip_format,
                        const EncoderOptions& options)
    : name(clip),
      target(samples::followed(clip)),
      hidden(hidden_beside(target)),
      format(clip_format) {
  std::error_code error;
  if (std::filesystem::exists(name, error) && !std::filesystem::is_regular_file(name, error) &&
      !std::filesystem::is_directory(name, error)) {
    fail("this is no ordinary file");
  }
  if (name.filename().empty() || std::filesystem::is_directory(name, error))
    fail("this is a folder");
  choose_container();
  open_codec(options);
  open_file();
}

void Encoder::Stream::choose_container() {
  const std::string file_name = name.filename().string();
  const AVOutputFormat* kind = av_guess_format(nullptr, file_name.c_str(), nullptr);
  if (kind == nullptr || kind->video_codec == AV_CODEC_ID_NONE ||
      (kind->flags & AVFMT_NOFILE) != 0) {
    fail(fmt::format("no container for video ends in '{}'; .mp4 and .mkv do",
                     name.extension().string()));
  }
  AVFormatContext* allocated = nullptr;
  if (avformat_alloc_output_context2(&allocated, kind, nullptr, nullptr) < 0)
    throw std::bad_alloc();
  container.reset(allocated);
}

void Encoder::Stream::open_codec(const EncoderOptions& options) {
  const AVCodec* encoder = avcodec_find_encoder_by_name("libx264");
  const bool has_x264 = encoder != nullptr;
  if (!has_x264) encoder = avcodec_find_encoder(AV_CODEC_ID_MPEG4);
  if (encoder == nullptr) fail("this build of libav has neither libx264 nor an MPEG-4 encoder");

  codec.reset(avcodec_alloc_context3(encoder));
  codec->width = static_cast<int>(format.layout.width);
  codec->height = static_cast<int>(format.layout.height);
  codec->pix_fmt = AV_PIX_FMT_YUV420P;
  codec->time_base = format.time_base;
  codec->framerate = format.frame_rate;
  codec->sample_aspect_ratio = format.pixel_aspect;
  codec->color_range = format.range;
  codec->colorspace = format.space;
  codec->color_primaries = format.primaries;
  codec->color_trc = format.transfer;
  codec->thread_count = options.threads;
  if ((container->oformat->flags & AVFMT_GLOBALHEADER) != 0)
    codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;

  AVDictionary* settings = nullptr;
  if (has_x264) {
    av_dict_set(&settings, "preset", options.preset.c_str(), 0);
    av_dict_set(&settings, "tune", "zerolatency", 0);
    av_dict_set_int(&settings, "crf", options.quality, 0);
  } else {
    if (codec->time_base.den > most_mpeg4_ticks) codec->time_base = {1, 1000};
    codec->flags |= AV_CODEC_FLAG_QSCALE;
    codec->global_quality = FF_QP2LAMBDA * (2 + options.quality / 5);
  }
  const int code = avcodec_open2(codec.get(), encoder, &settings);
  av_dict_free(&settings);
  if (code < 0)
    fail(fmt::format("the encoder {} does not start ({})", encoder->name, libav_error(code)));

  picture->format = AV_PIX_FMT_YUV420P;
  picture->width = codec->width;
  picture->height = codec->height;
  if (av_frame_get_buffer(picture.get(), 0) < 0) throw std::bad_alloc();
}

void Encoder::Stream::open_file() {
  stream = avformat_new_stream(container.get(), nullptr);
  if (stream == nullptr) throw std::bad_alloc();
  avcodec_parameters_from_context(stream->codecpar, codec.get());
  stream->time_base = codec->time_base;
  stream->avg_frame_rate = format.frame_rate;
  stream->sample_aspect_ratio = format.pixel_aspect;
  if (format.display_matrix) set_display_matrix(*stream, *format.display_matrix);
  if (const int code =
          avio_open(&container->pb, ("file:" + hidden.name.string()).c_str(), AVIO_FLAG_WRITE);
      code < 0) {
    fail(libav_error(code));
  }
  hidden.there = true;
  if (const int code = avformat_write_header(container.get(), nullptr); code < 0) {
    fail(fmt::format("files of type {} do not take this video ({})", container->oformat->name,
                     libav_error(code)));
  }
}

void Encoder::Stream::write(std::span<const std::uint32_t> frame, std::int64_t time) {
  // The codec may still hold the last picture.
  if (av_frame_make_writable(picture.get()) < 0) throw std::bad_alloc();
  for (std::size_t p = 0; p < plane_count; ++p) {
    const auto plane = plane_of(format.layout, bytes_of(frame), p);
    for (std::size_t y = 0; y < plane.height; ++y) {
      std::memcpy(picture->data[p] + static_cast<std::ptrdiff_t>(y) * picture->linesize[p],
                  plane.samples.data() + y * plane.row, plane.width);
    }
  }
  picture->pts = av_rescale_q(time, format.time_base, codec->time_base);
  encode(picture.get());
}

void Encoder::Stream::encode(const AVFrame* frame) {
  if (const int code = avcodec_send_frame(codec.get(), frame); code < 0) fail(libav_error(code));
  for (;;) {
    int code = avcodec_receive_packet(codec.get(), packet.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
    if (code < 0) fail(libav_error(code));
    packet->stream_index = stream->index;
    if (packet->duration == 0)
      packet->duration = av_rescale_q(1, av_inv_q(format.frame_rate), codec->time_base);
    av_packet_rescale_ts(packet.get(), codec->time_base, stream->time_base);
    code = av_interleaved_write_frame(container.get(), packet.get());
    if (code < 0) fail(libav_error(code));
  }
}

void Encoder::Stream::finish() {
  encode(nullptr);
  if (const int code = av_write_trailer(container.get()); code < 0) fail(libav_error(code));
  // The last bytes go out here: this, too, may find the disk full.
  if (const int code = avio_closep(&container->pb); code < 0) fail(libav_error(code));
}

void Encoder::Stream::keep() {
  std::error_code error;
  std::filesystem::rename(hidden.name, target, error);
  if (error) fail(error.message());
  hidden.there = false;
}

Encoder::Encoder(const std::filesystem::path& file, const ClipFormat& format,
                 const EncoderOptions& options)
    : stream_(std::make_unique<Stream>(file, format, options)) {}
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;
Encoder::~Encoder() = default;

void Encoder::write(std::span<const std::uint32_t> frame, std::int64_t time) {
  stream_->write(frame, time);
}
void Encoder::finish() {
  stream_->finish();
}
void Encoder::keep() {
  stream_->keep();
}

}  // namespace video
