package io.agentworkspace.engine.rest;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.Refusal;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Unreadable bodies on every route that runs a command: each is refused, leaks nothing, and has no effect. */
class BadBodiesTest {
    private static final String GOOD = "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}";

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));

    /** Returns damaged versions of a valid request. */
    private static Map<String, byte[]> broken(CommandAddress way) {
        var good = way.body("AP_Create", GOOD);
        var bodies = new LinkedHashMap<String, byte[]>();
        bodies.put("cut off", good.substring(0, good.length() - 1).getBytes(UTF_8));
        bodies.put("trailing comma", good.replaceFirst("}", ",}").getBytes(UTF_8));
        bodies.put("something after it", (good + "{}").getBytes(UTF_8));
        bodies.put("single quotes", good.replace('"', '\'').getBytes(UTF_8));
        bodies.put("a comment", good.replaceFirst("\\{", "{/* hi */").getBytes(UTF_8));
        bodies.put("no quotes", good.replaceFirst("\"vx\"", "vx").getBytes(UTF_8));
        bodies.put("NaN", good.replaceFirst("\"d\"", "NaN").getBytes(UTF_8));
        bodies.put(
                "a raw line break in a string",
                good.replaceFirst("\"d\"", "\"d\n\"").getBytes(UTF_8));
        bodies.put(
                "a raw NUL in a string", good.replaceFirst("\"d\"", "\"d\0\"").getBytes(UTF_8));
        bodies.put("NULs alone", new byte[100]);
        bodies.put("invalid UTF-8", bytes(good, 0xC3, 0x28));
        bodies.put("overlong UTF-8", bytes(good, 0xC0, 0xAF));
        bodies.put("a surrogate in UTF-8", bytes(good, 0xED, 0xA0, 0x80));
        bodies.put("beyond Unicode", bytes(good, 0xF5, 0x80, 0x80, 0x80));
        bodies.put("UTF-16", good.getBytes(UTF_16));
        bodies.put("two byte order marks", ("\uFEFF\uFEFF" + good).getBytes(UTF_8));
        bodies.put(
                "a field twice", good.replaceFirst("\"vx\"", "\"vx\":{},\"vx\"").getBytes(UTF_8));
        bodies.put(
                "an inner field twice",
                good.replaceFirst("\"name\"", "\"name\":\"Eve\",\"name\"").getBytes(UTF_8));
        bodies.put(
                "100,000 arrays",
                good.replaceFirst("\"d\"", "[".repeat(100_000)).getBytes(UTF_8));
        bodies.put("100,000 objects", "{\"vx\":".repeat(100_000).getBytes(UTF_8));
        bodies.put(
                "65 levels",
                good.replaceFirst("\"d\"", "[".repeat(64) + "]".repeat(64)).getBytes(UTF_8));
        bodies.put(
                "a huge number",
                good.replaceFirst("\"d\"", "1" + "0".repeat(500_000)).getBytes(UTF_8));
        bodies.put(
                "a huge field name",
                good.replaceFirst("\"vx\"", "\"" + "v".repeat(500_000) + "\"").getBytes(UTF_8));
        bodies.put(
                "an unfinished escape",
                good.replaceFirst("\"d\"", "\"\\\\u12\"").getBytes(UTF_8));
        bodies.put(
                "an unknown escape", good.replaceFirst("\"d\"", "\"\\\\x41\"").getBytes(UTF_8));
        bodies.put("a form", "service=AP_Create&name=Ada".getBytes(UTF_8));
        bodies.put(
                "XML",
                "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>"
                        .getBytes(UTF_8));
        bodies.put("empty", new byte[0]);
        bodies.put("blank", " \r\n\t ".getBytes(UTF_8));
        return bodies;
    }

    /** Returns the request with these bytes in place of a description. */
    private static byte[] bytes(String good, int... inside) {
        var at = good.indexOf("\"d\"") + 1;
        var bytes = new byte[good.length() + inside.length];
        System.arraycopy(good.getBytes(UTF_8), 0, bytes, 0, at);
        for (var i = 0; i < inside.length; i++) {
            bytes[at + i] = (byte) inside[i];
        }
        System.arraycopy(good.getBytes(UTF_8), at, bytes, at + inside.length, good.length() - at);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void whatIsNoJsonIsMalformedAndDoesNothing(CommandAddress way) {
        var before = TenantRows.of(tenant.id(ClientApi.REST));
        broken(way)
                .forEach((what, body) ->
                        Refusal.is("malformed_json", way, way.send(key, "AP_Create", body, Map.of()), what));
        assertThat(TenantRows.of(tenant.id(ClientApi.REST))).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void whatIsNoObjectIsRefused(CommandAddress way) {
        for (var body :
                List.of("[]", "[" + way.body("AP_Create", GOOD) + "]", "7", "\"AP_Create\"", "null", "true", "1e400")) {
            var got = way.send(key, "AP_Create", body.getBytes(UTF_8), Map.of());
            Refusal.is(way == CommandAddress.MCP ? "bad_request" : "malformed_json", way, got, body);
        }
        for (var arguments : List.of("[]", "7", "\"x\"", "true")) {
            if (way == CommandAddress.MCP) {
                Refusal.is("malformed_json", way, way.call(key, "AP_Create", arguments), arguments);
            }
        }
        assertThat(TenantRows.count(tenant.id(ClientApi.REST), "agent")).isZero();
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void aBodyMayHaveOneMebibyteAndNotAByteMore(CommandAddress way) {
        var good = way.body("AP_Create", GOOD);
        var room = (1 << 20) - good.length();
        Refusal.is("too_large", way, way.send(key, "AP_Create", padded(good, room + 1), Map.of()), "one byte more");
        assertThat(TenantRows.count(tenant.id(ClientApi.REST), "agent")).isZero();
        assertThat(way.send(key, "AP_Create", padded(good, room), Map.of()).error())
                .isEmpty();
    }

    private static byte[] padded(String good, int spaces) {
        return (good + " ".repeat(spaces)).getBytes(UTF_8);
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void twoMegabytesAreTooLargeWhetherAnnouncedOrChunked(CommandAddress way) {
        var big = way.body("AP_Create", GOOD.replace("\"d\"", "\"" + "x".repeat(2_000_000) + "\""))
                .getBytes(UTF_8);
        Refusal.is("too_large", way, way.send(key, "AP_Create", big, Map.of()), "announced");
        var chunked = HttpRequest.newBuilder(URI.create(TestServer.url() + way.path("AP_Create")))
                .header("Content-Type", "application/json")
                .header("X-Api-Key", key)
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(big)))
                .build();
        Refusal.is("too_large", way, new Got(ClientApi.send(chunked)), "chunked");
        assertThat(TenantRows.count(tenant.id(ClientApi.REST), "agent")).isZero();
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void anotherContentTypeIsRefused(CommandAddress way) {
        for (var type : List.of(
                "text/plain",
                "application/xml",
                "application/x-www-form-urlencoded",
                "multipart/form-data",
                "application/json; charset=utf-16",
                "json",
                "",
                ";",
                "application/json;charset=\"")) {
            var request = HttpRequest.newBuilder(URI.create(TestServer.url() + way.path("AP_Create")))
                    .header("X-Api-Key", key)
                    .header("Content-Type", type)
                    .POST(BodyPublishers.ofString(way.body("AP_Create", GOOD)))
                    .build();
            var command = way == CommandAddress.GENERIC || way == CommandAddress.ALIAS;
            Refusal.is(
                    command ? "malformed_json" : "unsupported_media_type", way, new Got(ClientApi.send(request)), type);
        }
        assertThat(TenantRows.count(tenant.id(ClientApi.REST), "agent")).isZero();
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void anUnknownCommandNamesTheNearest(CommandAddress way) {
        var nearest = Map.of("AP_Creat", "AP_Create", "ap_creates", "AP_Create", "AP_LISST", "AP_List");
        nearest.forEach((name, meant) -> {
            var got = unknown(way, name);
            assertThat(got.note()).as("%s %s", way, got).contains(meant);
        });
        for (var name : List.of("COMMAND", "DEFAULT", "A", "x".repeat(70), "{}", "tools/call")) {
            unknown(way, name);
        }
    }

    /** Names that a URL cannot contain are sent only in the body. */
    @ParameterizedTest
    @EnumSource(
            value = CommandAddress.class,
            names = {"GENERIC", "MCP"})
    void aCommandOfAnyCharactersIsUnknown(CommandAddress way) {
        for (var name : List.of(
                "../../etc/passwd",
                "%s%n",
                "a\tb",
                "\u202Ex",
                "<script>alert(1)</script>",
                "'; DROP TABLE agent; --",
                "😀".repeat(40),
                "x".repeat(63) + "😀",
                "x".repeat(79) + "😀",
                "n".repeat(100_000),
                "\uFFFF")) {
            unknown(way, name);
        }
        for (var name : List.of("\\u0000", "\\ud800", "\\udc00x", "AP_Create\\u0000")) {
            var body = way.body("SERVICE", "{}").replace("SERVICE", name);
            // The MCP endpoint refuses characters that no tool's name can have in all params alike.
            var error = way == CommandAddress.MCP ? "invalid_field" : "unknown_service";
            Refusal.is(error, way, way.send(key, "AP_List", body.getBytes(UTF_8), Map.of()), name);
        }
    }

    private Got unknown(CommandAddress way, String service) {
        var got = switch (way) {
            case GENERIC, MCP -> way.call(key, service, "{}");
            case ALIAS -> posted(Route.COMMANDS + "/agent/" + encoded(service.replaceFirst("(?i)ap_", "")));
            case INVOKE -> posted(way.path(encoded(service)));
        };
        Refusal.is("unknown_service", way, got, service);
        return got;
    }

    private Got posted(String path) {
        return new Got(ClientApi.post(TestServer.url() + path, key, "{}"));
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, UTF_8).replace("%2F", "-");
    }

    @ParameterizedTest
    @EnumSource(
            value = CommandAddress.class,
            names = {"GENERIC", "ALIAS"})
    void anAliasRunsNothingButItsOwnService(CommandAddress way) {
        var body = "{\"service\":\"AP_Destroy\"}".getBytes(UTF_8);
        var got = way.send(key, "AP_Create", body, Map.of());
        Refusal.is(way == CommandAddress.ALIAS ? "invalid_field" : "missing_field", way, got, "another service");
        var blank = "{\"service\":\"  \"}".getBytes(UTF_8);
        Refusal.is(
                way == CommandAddress.ALIAS ? "invalid_field" : "missing_field",
                way,
                way.send(key, "AP_List", blank, Map.of()),
                "blank");
        var same = "{\"service\":\"AP_List\"}".getBytes(UTF_8);
        assertThat(way.send(key, "AP_List", same, Map.of()).error()).isEmpty();
    }
}
