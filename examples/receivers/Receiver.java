import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receives webhooks: {@code WEBHOOK_SECRET=whsec_… java Receiver.java}. */
final class Receiver {
    private static final String SECRET = System.getenv("WEBHOOK_SECRET").strip();
    private static final int MAX_BODY = 1 << 20;

    private static final Pattern ID = Pattern.compile("\\{\"id\":\"([0-9a-f-]{36})\"");

    /** In production, use a table with a unique id. */
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    public static void main(String[] arguments) throws IOException {
        var port = Integer.parseInt(Objects.requireNonNullElse(System.getenv("PORT"), "8000"));
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", Receiver::receive);
        server.start();
        System.out.println("listening on port " + server.getAddress().getPort());
    }

    private static void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
            var header = exchange.getRequestHeaders().getFirst("X-Service-Signature");
            if (body.length > MAX_BODY) {
                exchange.sendResponseHeaders(413, -1);
            } else if (header == null || !verify(header, body)) {
                exchange.sendResponseHeaders(400, -1);
            } else {
                var event = new String(body, StandardCharsets.UTF_8);
                if (SEEN.add(id(event))) {
                    System.out.println(event); // Queue it here; do the work elsewhere.
                }
                exchange.sendResponseHeaders(200, -1);
            }
        }
    }

    /** The JDK has no JSON parser, so this reads the id, which is the first field of the envelope. */
    private static String id(String event) {
        var found = ID.matcher(event);
        return found.lookingAt() ? found.group(1) : event;
    }

    /** Returns whether one of the signatures matches the raw body and is at most 300 seconds old. */
    private static boolean verify(String header, byte[] body) {
        String time = null;
        var given = new ArrayList<String>();
        for (var part : header.split(",")) {
            var pair = part.strip().split("=", 2);
            if (pair.length == 2 && pair[0].equals("t")) {
                time = pair[1];
            } else if (pair.length == 2 && pair[0].equals("v1")) {
                given.add(pair[1]);
            }
        }
        if (time == null || !time.matches("[0-9]{1,18}") || Math.abs(Instant.now().getEpochSecond() - Long.parseLong(time)) > 300) {
            return false;
        }
        var expected = HexFormat.of().formatHex(hmac(time + ".", body)).getBytes(StandardCharsets.US_ASCII);
        return given.stream().anyMatch(v1 -> MessageDigest.isEqual(expected, v1.getBytes(StandardCharsets.US_ASCII)));
    }

    private static byte[] hmac(String start, byte[] body) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update(start.getBytes(StandardCharsets.UTF_8));
            return mac.doFinal(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
