/*
 * glovebox-screen captures an X display and encodes it as video.
 *
 *   glovebox-screen CODEC FPS BITS
 *
 * CODEC is vp8 or h264, FPS 1 to 60, BITS the bits per second that the video may
 * use. DISPLAY and XAUTHORITY say which display.
 *
 * It encodes only when the display changes, and once more in better quality when
 * it has come to rest. Each frame is written to standard output: a header of 20
 * bytes, big endian, and the encoded data.
 *
 *   u32  length of the data in bytes
 *   u32  1 for a key frame, else 0
 *   u16  width in pixels, u16  height in pixels
 *   u64  microseconds since the start when the picture was captured
 *
 * Standard input takes one command a line: "key" (the next frame is a key frame),
 * "bits N" (the new limit) and "fps N". The program ends when standard input ends,
 * when nobody reads its output any more, or when the display ends. While nobody
 * reads its output, it captures nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <libyuv.h>
#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>
#include <x264.h>
#include <xcb/damage.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>

enum {
	HEADER = 20,
	REST_AFTER = 300000,   /* microseconds without a change until the picture is encoded once more */
	REST_QUANT_VP8 = 10,   /* of 63: text is sharp */
	REST_QUANT_H264 = 18,  /* of 51 */
	MOST_QUANT_VP8 = 48,
	MAX_COMMAND = 64,      /* bytes of a line */
	MAX_SIDE = 8192,       /* pixels */
};

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...) {
	va_list args;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* The encoded picture; valid until the next one is encoded. */
struct encoded {
	const uint8_t *data;
	size_t size;
	int key;
};

/* A picture in I420. */
struct picture {
	int width, height; /* even */
	uint8_t *y, *u, *v;
};

struct settings {
	int h264, fps;
	int64_t bits;
};

/* ---- encoders ---- */

struct encoder {
	struct settings set;
	int width, height;
	vpx_codec_ctx_t vpx;
	vpx_codec_enc_cfg_t vpx_config;
	x264_t *x264;
	x264_param_t x264_params;
	int open;
};

static void open_vp8(struct encoder *e) {
	vpx_codec_enc_cfg_t *c = &e->vpx_config;
	if (vpx_codec_enc_config_default(vpx_codec_vp8_cx(), c, 0) != VPX_CODEC_OK) die("libvpx has no VP8 encoder");
	c->g_w = e->width, c->g_h = e->height;
	c->g_timebase.num = 1, c->g_timebase.den = 1000000;
	c->g_threads = 1; /* two cost three to five times the processor time */
	c->g_lag_in_frames = 0;
	c->rc_end_usage = VPX_CBR;
	c->rc_target_bitrate = e->set.bits / 1000;
	c->rc_min_quantizer = 4, c->rc_max_quantizer = MOST_QUANT_VP8;
	c->rc_undershoot_pct = 95, c->rc_overshoot_pct = 50;
	c->rc_buf_sz = 1000, c->rc_buf_initial_sz = 500, c->rc_buf_optimal_sz = 600;
	c->rc_dropframe_thresh = 0;
	c->kf_mode = VPX_KF_DISABLED; /* only on demand */
	if (vpx_codec_enc_init(&e->vpx, vpx_codec_vp8_cx(), c, 0) != VPX_CODEC_OK) die("cannot open the VP8 encoder: %s", vpx_codec_error(&e->vpx));
	vpx_codec_control(&e->vpx, VP8E_SET_CPUUSED, -10);
	vpx_codec_control(&e->vpx, VP8E_SET_SCREEN_CONTENT_MODE, 1);
	vpx_codec_control(&e->vpx, VP8E_SET_STATIC_THRESHOLD, 100);
	vpx_codec_control(&e->vpx, VP8E_SET_NOISE_SENSITIVITY, 0);
	vpx_codec_control(&e->vpx, VP8E_SET_TOKEN_PARTITIONS, 0);
	vpx_codec_control(&e->vpx, VP8E_SET_MAX_INTRA_BITRATE_PCT, 0);
}

static void limit_x264(struct encoder *e) {
	e->x264_params.rc.i_vbv_max_bitrate = e->set.bits / 1000;
	e->x264_params.rc.i_vbv_buffer_size = e->set.bits / 1000;
}

static void open_h264(struct encoder *e) {
	x264_param_t *p = &e->x264_params;
	if (x264_param_default_preset(p, "ultrafast", "zerolatency") != 0) die("libx264 has no such preset");
	p->i_width = e->width, p->i_height = e->height;
	p->i_csp = X264_CSP_I420;
	p->i_threads = 1;
	p->b_vfr_input = 0; /* otherwise a frame waits for the next one */
	p->i_fps_num = e->set.fps, p->i_fps_den = 1;
	p->i_keyint_max = X264_KEYINT_MAX_INFINITE; /* only on demand */
	p->i_scenecut_threshold = 0;
	p->b_repeat_headers = 1, p->b_annexb = 1, p->b_aud = 0;
	p->rc.i_rc_method = X264_RC_CRF;
	p->rc.f_rf_constant = 26;
	p->vui.i_colmatrix = 6, p->vui.i_colorprim = 6, p->vui.i_transfer = 6; /* BT.601, as libyuv converts */
	p->i_log_level = X264_LOG_ERROR;
	limit_x264(e);
	if (x264_param_apply_profile(p, "baseline") != 0) die("libx264 has no baseline profile");
	if (!(e->x264 = x264_encoder_open(p))) die("cannot open the H.264 encoder");
}

static void encoder_close(struct encoder *e) {
	if (!e->open) return;
	if (e->set.h264) x264_encoder_close(e->x264);
	else vpx_codec_destroy(&e->vpx);
	e->open = 0;
}

static void encoder_open(struct encoder *e, int width, int height) {
	encoder_close(e);
	e->width = width, e->height = height;
	if (e->set.h264) open_h264(e);
	else open_vp8(e);
	e->open = 1;
}

/* Applies the limit of bits; better quality for a picture at rest. */
static void encoder_tune(struct encoder *e, int rest) {
	if (e->set.h264) {
		limit_x264(e);
		x264_encoder_reconfig(e->x264, &e->x264_params);
		return;
	}
	e->vpx_config.rc_target_bitrate = e->set.bits / 1000;
	e->vpx_config.rc_max_quantizer = rest ? REST_QUANT_VP8 : MOST_QUANT_VP8;
	vpx_codec_enc_config_set(&e->vpx, &e->vpx_config);
	vpx_codec_control(&e->vpx, VP8E_SET_STATIC_THRESHOLD, rest ? 0 : 100);
}

static struct encoded encode_vp8(struct encoder *e, const struct picture *p, int64_t at, int key) {
	vpx_image_t image;
	memset(&image, 0, sizeof image);
	image.fmt = VPX_IMG_FMT_I420;
	image.w = image.d_w = p->width, image.h = image.d_h = p->height;
	image.x_chroma_shift = image.y_chroma_shift = 1;
	image.bps = 12;
	image.planes[0] = p->y, image.planes[1] = p->u, image.planes[2] = p->v;
	image.stride[0] = p->width, image.stride[1] = image.stride[2] = p->width / 2;
	if (vpx_codec_encode(&e->vpx, &image, at, 1000000 / e->set.fps, key ? VPX_EFLAG_FORCE_KF : 0, VPX_DL_REALTIME) != VPX_CODEC_OK)
		die("cannot encode: %s", vpx_codec_error(&e->vpx));
	vpx_codec_iter_t next = NULL;
	const vpx_codec_cx_pkt_t *packet;
	while ((packet = vpx_codec_get_cx_data(&e->vpx, &next)))
		if (packet->kind == VPX_CODEC_CX_FRAME_PKT)
			return (struct encoded){packet->data.frame.buf, packet->data.frame.sz, !!(packet->data.frame.flags & VPX_FRAME_IS_KEY)};
	return (struct encoded){NULL, 0, 0};
}

static struct encoded encode_h264(struct encoder *e, const struct picture *p, int64_t at, int key, int rest) {
	x264_picture_t in, out;
	x264_picture_init(&in);
	in.img.i_csp = X264_CSP_I420, in.img.i_plane = 3;
	in.img.plane[0] = p->y, in.img.plane[1] = p->u, in.img.plane[2] = p->v;
	in.img.i_stride[0] = p->width, in.img.i_stride[1] = in.img.i_stride[2] = p->width / 2;
	in.i_pts = at;
	in.i_type = key ? X264_TYPE_IDR : X264_TYPE_AUTO;
	in.i_qpplus1 = rest ? REST_QUANT_H264 + 1 : X264_QP_AUTO;
	x264_nal_t *nals;
	int count;
	int size = x264_encoder_encode(e->x264, &nals, &count, &in, &out);
	if (size < 0) die("cannot encode");
	if (size == 0) return (struct encoded){NULL, 0, 0};
	return (struct encoded){nals[0].p_payload, size, out.b_keyframe}; /* the parts are one after the other in memory */
}

/* ---- the display ---- */

struct screen {
	xcb_connection_t *x;
	xcb_window_t root;
	uint8_t damage_event;
	xcb_damage_damage_t damage;
	int width, height;
	xcb_shm_seg_t segment;
	uint8_t *pixels; /* shared with the display */
	size_t pixels_size;
	struct picture picture;
	uint8_t *planes;
	int dirty, left, top, right, bottom; /* what changed, in pixels */
	int resized;
};

static void screen_map(struct screen *s) {
	if (s->pixels) {
		xcb_shm_detach(s->x, s->segment);
		munmap(s->pixels, s->pixels_size);
		free(s->planes);
	}
	if (s->width < 2 || s->height < 2 || s->width > MAX_SIDE || s->height > MAX_SIDE) die("a display of %dx%d cannot be captured", s->width, s->height);
	s->pixels_size = (size_t)s->width * s->height * 4;
	s->segment = xcb_generate_id(s->x);
	xcb_shm_create_segment_reply_t *made = xcb_shm_create_segment_reply(s->x, xcb_shm_create_segment(s->x, s->segment, s->pixels_size, 0), NULL);
	if (!made || made->nfd != 1) die("the display shares no memory");
	int fd = xcb_shm_create_segment_reply_fds(s->x, made)[0];
	free(made);
	s->pixels = mmap(NULL, s->pixels_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (s->pixels == MAP_FAILED) die("cannot map the display's memory: %s", strerror(errno));
	struct picture *p = &s->picture;
	p->width = s->width & ~1, p->height = s->height & ~1; /* chroma has half the size */
	size_t luma = (size_t)p->width * p->height;
	if (!(s->planes = malloc(luma + luma / 2))) die("no memory");
	p->y = s->planes, p->u = p->y + luma, p->v = p->u + luma / 4;
	s->dirty = 1, s->left = s->top = 0, s->right = s->width, s->bottom = s->height;
	s->resized = 0;
}

static void screen_open(struct screen *s) {
	int number;
	s->x = xcb_connect(NULL, &number);
	if (xcb_connection_has_error(s->x)) die("the display does not answer");
	const xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(s->x)).data;
	if (screen->root_depth != 24) die("the display has %d bits a pixel, not 24", screen->root_depth);
	s->root = screen->root;
	s->width = screen->width_in_pixels, s->height = screen->height_in_pixels;
	const xcb_query_extension_reply_t *damage = xcb_get_extension_data(s->x, &xcb_damage_id), *shm = xcb_get_extension_data(s->x, &xcb_shm_id);
	if (!damage || !damage->present || !shm || !shm->present) die("the display has no DAMAGE or no MIT-SHM extension");
	s->damage_event = damage->first_event;
	free(xcb_damage_query_version_reply(s->x, xcb_damage_query_version(s->x, 1, 1), NULL));
	xcb_shm_query_version_reply_t *version = xcb_shm_query_version_reply(s->x, xcb_shm_query_version(s->x), NULL);
	if (!version || version->major_version < 1 || (version->major_version == 1 && version->minor_version < 2)) die("the display cannot share memory by descriptors");
	free(version);
	uint32_t mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
	xcb_change_window_attributes(s->x, s->root, XCB_CW_EVENT_MASK, &mask);
	s->damage = xcb_generate_id(s->x);
	xcb_damage_create(s->x, s->damage, s->root, XCB_DAMAGE_REPORT_LEVEL_BOUNDING_BOX);
	screen_map(s);
	xcb_flush(s->x);
}

static void widen(struct screen *s, int left, int top, int right, int bottom) {
	if (!s->dirty) s->left = s->width, s->top = s->height, s->right = s->bottom = 0;
	if (left < s->left) s->left = left;
	if (top < s->top) s->top = top;
	if (right > s->right) s->right = right;
	if (bottom > s->bottom) s->bottom = bottom;
	s->dirty = 1;
}

/* Reads what the display has sent. */
static void screen_read(struct screen *s) {
	xcb_generic_event_t *event;
	while ((event = xcb_poll_for_event(s->x))) {
		uint8_t type = event->response_type & 0x7f;
		if (type == s->damage_event + XCB_DAMAGE_NOTIFY) {
			const xcb_rectangle_t *area = &((xcb_damage_notify_event_t *)event)->area;
			widen(s, area->x, area->y, area->x + area->width, area->y + area->height);
		} else if (type == XCB_CONFIGURE_NOTIFY) {
			const xcb_configure_notify_event_t *c = (xcb_configure_notify_event_t *)event;
			if (c->window == s->root && (c->width != s->width || c->height != s->height)) s->width = c->width, s->height = c->height, s->resized = 1;
		}
		free(event);
	}
	if (xcb_connection_has_error(s->x)) exit(0);
}

/* Takes what changed into the picture. Returns 0 when it is gone meanwhile. */
static int screen_take(struct screen *s) {
	int left = s->left < 0 ? 0 : s->left & ~1, top = s->top < 0 ? 0 : s->top & ~1;
	int right = (s->right + 1) & ~1, bottom = (s->bottom + 1) & ~1;
	if (right > s->picture.width) right = s->picture.width;
	if (bottom > s->picture.height) bottom = s->picture.height;
	s->dirty = 0;
	xcb_damage_subtract(s->x, s->damage, XCB_NONE, XCB_NONE); /* what changes from here on is reported anew */
	if (left >= right || top >= bottom) return 0;
	int width = right - left, height = bottom - top;
	xcb_shm_get_image_reply_t *got = xcb_shm_get_image_reply(s->x,
		xcb_shm_get_image(s->x, s->root, left, top, width, height, ~0u, XCB_IMAGE_FORMAT_Z_PIXMAP, s->segment, 0), NULL);
	if (!got) return 0; /* the display has another size by now */
	free(got);
	struct picture *p = &s->picture;
	size_t luma = (size_t)top * p->width + left, chroma = (size_t)(top / 2) * (p->width / 2) + left / 2;
	ARGBToI420(s->pixels, width * 4, p->y + luma, p->width, p->u + chroma, p->width / 2, p->v + chroma, p->width / 2, width, height);
	return 1;
}

/* ---- output and commands ---- */

static void put(uint8_t *at, uint64_t value, int bytes) {
	for (int i = bytes - 1; i >= 0; i--, value >>= 8) at[i] = value & 0xff;
}

static void write_all(const uint8_t *data, size_t size) {
	while (size > 0) {
		ssize_t n = write(STDOUT_FILENO, data, size);
		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) exit(0); /* nobody reads any more */
		data += n, size -= n;
	}
}

static void write_frame(const struct encoded *f, const struct picture *p, int64_t at) {
	uint8_t header[HEADER];
	put(header, f->size, 4), put(header + 4, f->key, 4);
	put(header + 8, p->width, 2), put(header + 10, p->height, 2), put(header + 12, at, 8);
	write_all(header, sizeof header);
	write_all(f->data, f->size);
}

static int in_range(const char *text, long least, long most, long *value) {
	char *end;
	errno = 0;
	long n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < least || n > most) return 0;
	*value = n;
	return 1;
}

enum { LEAST_BITS = 50000, MOST_BITS = 100000000 };

struct control {
	int key, tuned;
	char line[MAX_COMMAND];
	size_t length;
};

static void command(struct control *c, struct settings *s) {
	long n;
	if (strcmp(c->line, "key") == 0) c->key = 1;
	else if (strncmp(c->line, "bits ", 5) == 0 && in_range(c->line + 5, LEAST_BITS, MOST_BITS, &n)) s->bits = n, c->tuned = 1;
	else if (strncmp(c->line, "fps ", 4) == 0 && in_range(c->line + 4, 1, 60, &n)) s->fps = n;
	else die("no such command: %s", c->line);
}

static void control_read(struct control *c, struct settings *s) {
	char in[256];
	ssize_t n = read(STDIN_FILENO, in, sizeof in);
	if (n < 0 && errno == EINTR) return;
	if (n <= 0) exit(0);
	for (ssize_t i = 0; i < n; i++) {
		if (in[i] != '\n') {
			if (c->length + 1 >= sizeof c->line) die("a command is too long");
			c->line[c->length++] = in[i];
			continue;
		}
		c->line[c->length] = 0, c->length = 0;
		command(c, s);
	}
}

int main(int argc, char **argv) {
	struct encoder e = {0};
	long fps, bits;
	if (argc != 4 || (strcmp(argv[1], "vp8") && strcmp(argv[1], "h264")) || !in_range(argv[2], 1, 60, &fps) || !in_range(argv[3], LEAST_BITS, MOST_BITS, &bits))
		die("usage: glovebox-screen vp8|h264 FPS BITS");
	e.set = (struct settings){.h264 = strcmp(argv[1], "h264") == 0, .fps = fps, .bits = bits};
	struct screen s = {0};
	struct control c = {0};
	screen_open(&s);
	encoder_open(&e, s.picture.width, s.picture.height);
	int64_t start = now(), last = 0, changed = 0;
	int rested = 1, first = 1;
	for (;;) {
		xcb_flush(s.x);
		screen_read(&s); /* events may have come with a reply */
		int64_t t = now(), due = -1;
		if (s.dirty || s.resized || c.key) due = last + 1000000 / e.set.fps;
		else if (!rested) due = changed + REST_AFTER;
		int wait = due < 0 ? -1 : due <= t ? 0 : (int)((due - t + 999) / 1000);
		struct pollfd fds[] = {{.fd = xcb_get_file_descriptor(s.x), .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
		if (poll(fds, 2, wait) < 0 && errno != EINTR) die("cannot wait: %s", strerror(errno));
		if (fds[1].revents) control_read(&c, &e.set);
		if (fds[0].revents) screen_read(&s);
		t = now();
		if (due < 0 || t < due) continue;
		if (s.resized) {
			screen_map(&s);
			encoder_open(&e, s.picture.width, s.picture.height);
			first = 1;
		}
		int moved = s.dirty && screen_take(&s), rest = !moved && !c.key && !first;
		if (rest && (rested || t < changed + REST_AFTER)) continue;
		if (c.tuned || rest || rested) encoder_tune(&e, rest), c.tuned = 0;
		int key = c.key || first;
		struct encoded f = e.set.h264 ? encode_h264(&e, &s.picture, t - start, key, rest) : encode_vp8(&e, &s.picture, t - start, key);
		last = t, rested = rest;
		if (!rest) changed = t;
		if (f.size == 0) continue;
		if (f.key) c.key = first = 0;
		write_frame(&f, &s.picture, t - start);
	}
}
