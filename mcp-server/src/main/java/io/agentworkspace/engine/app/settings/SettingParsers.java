package io.agentworkspace.engine.app.settings;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.integrations.webhooks.outbox.RetrySchedule;
import io.agentworkspace.engine.kernel.http.PublicPath;
import io.agentworkspace.engine.model.problem.Problem;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the text of each kind of setting. An {@link IllegalArgumentException} means that the value is invalid. */
final class SettingParsers {
    private static final Pattern RATE = Pattern.compile("([1-9]\\d{0,6})/s(?: burst ([1-9]\\d{0,6}))?");
    private static final Pattern DURATION = Pattern.compile("(\\d{1,7})([smhd])");
    private static final Map<String, ChronoUnit> UNITS =
            Map.of("s", ChronoUnit.SECONDS, "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS, "d", ChronoUnit.DAYS);
    private static final Duration LONGEST = Duration.ofDays(7);
    private static final Pattern HOST_NAME = Pattern.compile("[A-Za-z0-9_.:\\[\\]-]+");

    private SettingParsers() {}

    static Function<String, Integer> number(int lowest, int highest) {
        return text -> {
            int value = Integer.parseInt(text);
            require(value >= lowest && value <= highest);
            return value;
        };
    }

    static <E extends Enum<E>> Function<String, E> oneOf(Class<E> type) {
        return text -> {
            require(text.equals(text.toLowerCase(Locale.ROOT)));
            return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
        };
    }

    static Path writableFile(String text) {
        var file = Path.of(text).toAbsolutePath().normalize();
        require(
                Files.exists(file)
                        ? Files.isRegularFile(file) && Files.isWritable(file)
                        : Files.isWritable(file.getParent()));
        return file;
    }

    static <T> Function<String, List<T>> listOf(Function<String, T> one) {
        return text -> Arrays.stream(text.split(","))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .map(one)
                .toList();
    }

    /**
     * Parses {@code scheme://host[:port]}. The result is in lower case and without a slash at the end, as browsers
     * send it.
     */
    static String origin(String text) {
        URI uri = URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
        require(uri.getScheme() != null && uri.getHost() != null && uri.getRawUserInfo() == null);
        require(uri.getRawPath().isEmpty() && uri.getRawQuery() == null && uri.getRawFragment() == null);
        require(uri.getPort() <= 65_535);
        return uri.toString().toLowerCase(Locale.ROOT);
    }

    /** Parses {@code http(s)://host[:port][/path]}. The result has no slash at the end. */
    static String webAddress(String text) {
        var path = URI.create(text).getRawPath();
        var end = path == null ? text.length() : text.length() - path.length();
        require(path == null || text.endsWith(path));
        String origin = origin(text.substring(0, end));
        require(origin.startsWith("http://") || origin.startsWith("https://"));
        var below = path == null ? "" : path.replaceFirst("/$", "");
        require(PublicPath.isAllowed(below));
        return origin + below;
    }

    static String host(String text) {
        require(HOST_NAME.matcher(text).matches());
        return text;
    }

    static boolean onOrOff(String text) {
        require(text.equals("on") || text.equals("off"));
        return text.equals("on");
    }

    static boolean yesOrNo(String text) {
        require(text.equals("true") || text.equals("false"));
        return text.equals("true");
    }

    static RetrySchedule schedule(String text) {
        return new RetrySchedule(Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .map(SettingParsers::duration)
                .toList());
    }

    static Duration duration(String text) {
        var parts = DURATION.matcher(text);
        require(parts.matches());
        var duration = Duration.of(Long.parseLong(parts.group(1)), UNITS.get(parts.group(2)));
        require(duration.compareTo(LONGEST) <= 0);
        return duration;
    }

    static Duration duration(String text, Duration least, Duration most) {
        var duration = duration(text);
        require(duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0);
        return duration;
    }

    static String word(String text) {
        require(text.matches("[a-z0-9_-]{1,32}"));
        return text;
    }

    static String jdbcUrl(String text) {
        require(text.startsWith("jdbc:postgresql:") && !text.chars().anyMatch(Character::isWhitespace));
        return text;
    }

    static String key(String text) {
        try {
            return ApiKey.parse(text).reveal();
        } catch (Problem e) {
            throw new IllegalArgumentException(e);
        }
    }

    static RateLimit rate(String text) {
        if (text.equals("off")) {
            return RateLimit.OFF;
        }
        Matcher parts = RATE.matcher(text);
        require(parts.matches());
        int permits = Integer.parseInt(parts.group(1));
        return new RateLimit(permits, parts.group(2) == null ? 2 * permits : Integer.parseInt(parts.group(2)));
    }

    private static void require(boolean good) {
        if (!good) {
            throw new IllegalArgumentException();
        }
    }
}
