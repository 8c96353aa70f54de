#include "decoder.hpp"

#include "libav.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>

namespace video {

namespace {

constexpr std::uint32_t largest_side = 16384;  // samples
constexpr double slack = 0.25;  // seconds by which a container may be wrong about a clip's length

AVRational known_or(AVRational rate, AVRational otherwise) {
  return rate.num > 0 && rate.den > 0 ? rate : otherwise;
}

// The picture's size: even, as 4:2:0 wants it, and scaled to `width` where that is not 0.
FrameLayout layout_for(const AVCodecParameters& stream, std::uint32_t width) {
  auto wide = static_cast<std::uint64_t>(stream.width);
  auto high = static_cast<std::uint64_t>(stream.height);
  if (width != 0) {
    high = (high * width + wide / 2) / wide;
    wide = width;
  }
  const auto even = [](std::uint64_t n) {
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(n / 2 * 2, 2));
  };
  return {even(wide), even(high)};
}

// Matroska's way of saying how long a stream is, in seconds; it has no full index.
double promised_seconds(const AVStream& stream) {
  const AVDictionaryEntry* tag = av_dict_get(stream.metadata, "DURATION", nullptr, 0);
  int hours = 0;
  int minutes = 0;
  double seconds = 0;
  if (tag == nullptr || std::sscanf(tag->value, "%d:%d:%lf", &hours, &minutes, &seconds) != 3)
    return 0;
  return 3600.0 * hours + 60.0 * minutes + seconds;
}

bool has_full_range(const AVFrame& frame) {
  return frame.color_range == AVCOL_RANGE_JPEG || frame.format == AV_PIX_FMT_YUVJ420P ||
         frame.format == AV_PIX_FMT_YUVJ422P || frame.format == AV_PIX_FMT_YUVJ444P;
}

// Copies the picture into the message; the padding of each row repeats its last sample, as the
// filters would do at the border.
void copy_planes(const AVFrame& picture, const FrameLayout& layout, std::uint8_t* message) {
  for (std::size_t p = 0; p < plane_count; ++p) {
    const auto plane = plane_of(layout, message, p);
    for (std::size_t y = 0; y < plane.height; ++y) {
      std::uint8_t* row = plane.samples.data() + y * plane.row;
      std::memcpy(row, picture.data[p] + static_cast<std::ptrdiff_t>(y) * picture.linesize[p],
                  plane.width);
      std::fill(row + plane.width, row + plane.row, row[plane.width - 1]);
    }
  }
}

}  // namespace

struct Decoder::Stream {
  Stream(const std::filesystem::path& clip, const DecoderOptions& options);

  bool read(std::span<std::uint32_t> frame, std::int64_t& time);

 private:
  friend class Decoder;

  void open_container();
  void open_codec(int threads);
  void describe(std::uint32_t width);
  // Gives the codec one more packet, or the end.
  void feed();
  const AVFrame& scaled();
  std::int64_t time_of_frame();
  [[noreturn]] void fail(const std::string& why) const {
    throw BadClip(fmt::format("{}: {}", name, why));
  }
  [[noreturn]] void fail_cut_off() const;

  std::string name;
  InputPtr container;
  CodecPtr codec;
  ScalerPtr scaler;
  FramePtr decoded{av_frame_alloc()};
  FramePtr converted;
  PacketPtr packet{av_packet_alloc()};
  ClipFormat format;
  int index = -1;                   // of the video stream
  std::int64_t packets_listed = 0;  // in the container's own index
  std::int64_t packets_read = 0;
  double seconds_promised = 0;  // by the container; 0: it doesn't say
  double seconds_read = 0;
  std::int64_t frames_read = 0;
  std::int64_t first_time = AV_NOPTS_VALUE;
  std::int64_t last_time = -1;
  std::string damage;  // why no more packets are read; empty: nothing is wrong
};

Decoder::Stream::Stream(const std::filesystem::path& clip, const DecoderOptions& options)
    : name(clip.string()) {
  open_container();
  open_codec(options.threads);
  describe(options.width);
}

void Decoder::Stream::open_container() {
  std::error_code error;
  const auto status = std::filesystem::status(name, error);
  if (status.type() == std::filesystem::file_type::not_found) fail("there is no such file");
  if (std::filesystem::is_directory(status)) fail("this is a folder, not a clip");
  // A clip is read several times.
  if (!std::filesystem::is_regular_file(status)) fail("this is no ordinary file: save it first");
  AVFormatContext* opened = nullptr;
  // "file:" keeps libav from taking a name with a colon for a protocol.
  if (const int code = avformat_open_input(&opened, ("file:" + name).c_str(), nullptr, nullptr);
      code < 0) {
    if (code == AVERROR(EACCES)) fail("no permission to read it");
    fail(fmt::format("not a clip that can be read, or cut off before its index ({})",
                     libav_error(code)));
  }
  container.reset(opened);
  if (const int code = avformat_find_stream_info(opened, nullptr); code < 0) {
    fail(fmt::format("its streams cannot be told apart ({})", libav_error(code)));
  }
}

void Decoder::Stream::open_codec(int threads) {
  const AVCodec* decoder = nullptr;
  index = av_find_best_stream(container.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
  if (index == AVERROR_STREAM_NOT_FOUND) fail("there is no video in it");
  if (index < 0) fail("this build of libav has no decoder for its video");
  for (unsigned i = 0; i < container->nb_streams; ++i) {
    AVStream& stream = *container->streams[i];
    stream.discard = static_cast<int>(i) == index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  }
  const AVStream& stream = *container->streams[index];
  if ((stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0)
    fail("there is no video in it, only a cover picture");
  codec.reset(avcodec_alloc_context3(decoder));
  avcodec_parameters_to_context(codec.get(), stream.codecpar);
  codec->thread_count = threads;
  codec->pkt_timebase = stream.time_base;
  if (const int code = avcodec_open2(codec.get(), decoder, nullptr); code < 0) {
    fail(fmt::format("its decoder does not start ({})", libav_error(code)));
  }
}

void Decoder::Stream::describe(std::uint32_t width) {
  AVStream& stream = *container->streams[index];
  const AVCodecParameters& parameters = *stream.codecpar;
  if (parameters.width <= 0 || parameters.height <= 0)
    fail("its video says no size, or is cut off");
  format.layout = layout_for(parameters, width);
  if (std::max(format.layout.width, format.layout.height) > largest_side) {
    fail(fmt::format("a picture of {}x{}; at most {} on a side (--width makes it smaller)",
                     format.layout.width, format.layout.height, largest_side));
  }
  format.time_base = stream.time_base;
  format.frame_rate = known_or(av_guess_frame_rate(container.get(), &stream, nullptr), {25, 1});
  format.pixel_aspect =
      known_or(av_guess_sample_aspect_ratio(container.get(), &stream, nullptr), {1, 1});
  format.range = parameters.color_range;
  format.space = parameters.color_space;
  format.primaries = parameters.color_primaries;
  format.transfer = parameters.color_trc;
  // An RGB clip becomes what libswscale makes of it.
  if (format.space == AVCOL_SPC_RGB) format.space = AVCOL_SPC_SMPTE170M;
  format.display_matrix = display_matrix(stream);
  format.frames = stream.nb_frames;
  seconds_promised = promised_seconds(stream);
  packets_listed = avformat_index_get_entries_count(&stream);
}

bool Decoder::Stream::read(std::span<std::uint32_t> frame, std::int64_t& time) {
  for (;;) {
    const int code = avcodec_receive_frame(codec.get(), decoded.get());
    if (code == 0) break;
    if (code == AVERROR_EOF) {
      if (frames_read == 0) fail("not one frame of it can be decoded");
      if (!damage.empty()) fail_cut_off();
      return false;
    }
    if (code == AVERROR(EAGAIN)) {
      feed();
    } else if (damage.empty() && frames_read > 0) {
      damage = libav_error(code);
      avcodec_send_packet(codec.get(), nullptr);
    }
  }
  copy_planes(scaled(), format.layout, bytes_of(frame));
  time = time_of_frame();
  ++frames_read;
  return true;
}

void Decoder::Stream::feed() {
  int code = 0;
  do {
    av_packet_unref(packet.get());
    code = av_read_frame(container.get(), packet.get());
  } while (code == 0 && packet->stream_index != index);

  // A stream that was cut out of a longer one may begin with what needs earlier pictures: until the
  // first frame, nothing is damage.
  if (code == 0 && (packet->flags & AV_PKT_FLAG_CORRUPT) != 0 && frames_read > 0) {
    damage = "a packet is cut off";
  } else if (code == 0) {
    ++packets_read;
    const std::int64_t length = packet->duration > 0 ? packet->duration : format.frame_duration();
    if (packet->pts != AV_NOPTS_VALUE) {
      seconds_read = std::max(seconds_read,
                              static_cast<double>(packet->pts + length) * av_q2d(format.time_base));
    }
    code = avcodec_send_packet(codec.get(), packet.get());
    if (code == 0 || frames_read == 0) return;
    damage = libav_error(code);
  } else if (code != AVERROR_EOF) {
    damage = libav_error(code);
  } else if (packets_read < packets_listed) {
    damage =
        fmt::format("{} of {} packets are missing", packets_listed - packets_read, packets_listed);
  } else if (seconds_read + slack < seconds_promised) {
    damage = fmt::format("{:.2f} of {:.2f} s are missing", seconds_promised - seconds_read,
                         seconds_promised);
  }
  avcodec_send_packet(codec.get(), nullptr);  // the frames that are still inside come out
}

// The decoded frame as 8-bit 4:2:0 of the wanted size; itself where it is that already.
const AVFrame& Decoder::Stream::scaled() {
  const AVFrame& from = *decoded;
  const auto width = static_cast<int>(format.layout.width);
  const auto height = static_cast<int>(format.layout.height);
  const bool planar = from.format == AV_PIX_FMT_YUV420P || from.format == AV_PIX_FMT_YUVJ420P;
  // One column or row too many is left out rather than squeezed in.
  if (planar && from.width / 2 * 2 == width && from.height / 2 * 2 == height) return from;

  scaler.reset(sws_getCachedContext(scaler.release(), from.width, from.height,
                                    static_cast<AVPixelFormat>(from.format), width, height,
                                    AV_PIX_FMT_YUV420P, SWS_BICUBIC, nullptr, nullptr, nullptr));
  if (!scaler) fail("its pixel format cannot be converted to YUV 4:2:0");
  const int full = has_full_range(from) ? 1 : 0;
  const int* matrix = sws_getCoefficients(from.colorspace);
  sws_setColorspaceDetails(scaler.get(), matrix, full, matrix, full, 0, 1 << 16, 1 << 16);
  if (!converted) {
    converted.reset(av_frame_alloc());
    converted->format = AV_PIX_FMT_YUV420P;
    converted->width = width;
    converted->height = height;
    if (av_frame_get_buffer(converted.get(), 0) < 0) throw std::bad_alloc();
  }
  sws_scale(scaler.get(), from.data, from.linesize, 0, from.height, converted->data,
            converted->linesize);
  return *converted;
}

// From 0 on, and later than the last one even where the file's times are not.
std::int64_t Decoder::Stream::time_of_frame() {
  std::int64_t time = decoded->best_effort_timestamp;
  if (time == AV_NOPTS_VALUE) {
    time = last_time + format.frame_duration();
  } else {
    if (first_time == AV_NOPTS_VALUE) first_time = time;
    time -= first_time;
  }
  last_time = std::max({time, last_time + 1, std::int64_t{0}});
  return last_time;
}

void Decoder::Stream::fail_cut_off() const {
  const double seconds = static_cast<double>(last_time) * av_q2d(format.time_base);
  fail(fmt::format("cut off or damaged after frame {} at {:.2f} s ({})", frames_read, seconds,
                   damage));
}

Decoder::Decoder(const std::filesystem::path& file, const DecoderOptions& options)
    : stream_(std::make_unique<Stream>(file, options)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

const ClipFormat& Decoder::format() const noexcept {
  return stream_->format;
}

bool Decoder::read(std::span<std::uint32_t> frame, std::int64_t& time) {
  return stream_->read(frame, time);
}

}  // namespace video
