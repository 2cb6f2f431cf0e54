package io.agentworkspace.engine.integrations.skills;

import static io.agentworkspace.engine.testing.KeyFixture.route;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.skills.SkillArchive;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.SkillZip;
import io.agentworkspace.engine.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The REST routes of skills: lists, uploads, archives, and the index for agents. */
class SkillRoutesTest {
    private static final String INDEX = "/.well-known/agent-skills/index.json";

    private final KeyFixture fixture = new KeyFixture();
    private final Made root = fixture.user("root", Role.ADMIN, "*");
    private final Made ann = fixture.user("ann", Role.MEMBER, "skill:read", "skill:write", "agent:write");

    private static Got answered(int status, Got got) {
        assertThat(got.status()).as(got.toString()).isEqualTo(status);
        return got;
    }

    private static HttpResponse<byte[]> anonymously(String path, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(TestServer.url()).resolve(path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return ClientApi.send(request.build());
    }

    private Got upload(String query, String type, byte[] body) {
        return new Got(ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/skills" + query))
                .header("X-Api-Key", root.key())
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build()));
    }

    private static byte[] form(String part, byte[] file) {
        var body = new ByteArrayOutputStream();
        body.writeBytes("""
                --x7\r
                Content-Disposition: form-data; name="%s"; filename="tides.zip"\r
                Content-Type: application/zip\r
                \r
                """.formatted(part).getBytes(StandardCharsets.UTF_8));
        body.writeBytes(file);
        body.writeBytes("\r\n--x7--\r\n".getBytes(StandardCharsets.UTF_8));
        return body.toByteArray();
    }

    private static String sha256(byte[] bytes) throws Exception {
        return "sha256:"
                + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private static Map<String, String> header(HttpResponse<?> response, String... names) {
        var found = new java.util.LinkedHashMap<String, String>();
        for (var name : names) {
            found.put(name, String.join("|", response.headers().allValues(name)));
        }
        return found;
    }

    @Test
    void aSkillsLife() {
        var zip = SkillZip.of("tides", "Ask.").with("references/a.md", "A");
        var made = answered(201, upload("", "application/zip", zip.bytes()));
        assertThat(made.json().at("/skill/name").asString()).isEqualTo("tides");
        route(root, "POST", "/demo/v1/Engine/tps/agent/create", "{'vx':{'name':'Ada','description':'d'}}");
        answered(200, route(root, "POST", "/api/skills/tides/install", "{'agent':'Ada'}"));
        var read = answered(200, route(root, "GET", "/api/skills/tides", "")).json();
        assertThat(read.at("/agents/0").asString()).isEqualTo("Ada");
        assertThat(answered(200, route(root, "GET", "/api/skills/tides?path=references/a.md", ""))
                        .json()
                        .at("/file/text")
                        .asString())
                .isEqualTo("A");
        assertThat(answered(200, route(root, "DELETE", "/api/skills/tides/install?agent=Ada", ""))
                        .json()
                        .at("/changed")
                        .asBoolean())
                .isTrue();
        answered(200, route(root, "DELETE", "/api/skills/tides", ""));
        var gone = answered(404, route(root, "GET", "/api/skills/tides", ""));
        assertThat(gone.error()).isEqualTo("not_found");
        answered(404, route(root, "GET", "/api/skills/tides/archive", ""));
    }

    @Test
    void aZipIsTheBodyOrAPartOfAForm() {
        var zip = SkillZip.of("tides", "One.");
        answered(201, upload("", "multipart/form-data; boundary=x7", form("file", zip.bytes())));
        answered(409, upload("", "application/zip", SkillZip.of("tides", "Two.").bytes()));
        var replaced = answered(
                201,
                upload(
                        "?replace=true",
                        "Application/ZIP",
                        SkillZip.of("tides", "Two.").bytes()));
        assertThat(replaced.json().at("/revision").asInt()).isEqualTo(2);
        answered(422, upload("", "multipart/form-data; boundary=x7", form("other", zip.bytes())));
        answered(400, upload("", "multipart/form-data; boundary=x8", form("file", zip.bytes())));
        answered(400, upload("", "multipart/form-data", form("file", zip.bytes())));
        answered(422, upload("", "application/zip", new byte[0]));
        answered(422, upload("", "application/zip", "no zip".getBytes(StandardCharsets.UTF_8)));
        answered(415, upload("", "application/x-tar", zip.bytes()));
        answered(413, upload("", "application/zip", new byte[(1 << 20) + 1]));
        answered(
                403,
                new Got(ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/skills"))
                        .header("X-Api-Key", ann.key())
                        .header("Content-Type", "application/zip")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(zip.bytes()))
                        .build())));
    }

    @Test
    void theArchiveIsTheSameBytesAsLongAsTheSkillIs() throws Exception {
        upload("", "application/zip", SkillZip.of("tides", "One.").bytes());
        var path = "/api/skills/tides/archive";
        var got = answered(200, route(ann, "GET", path, ""));
        assertThat(header(
                        got.response(),
                        "Content-Type",
                        "Content-Disposition",
                        "X-Content-Type-Options",
                        "Cache-Control"))
                .isEqualTo(Map.of(
                        "Content-Type",
                        "application/zip",
                        "Content-Disposition",
                        "attachment; filename=\"tides.zip\"",
                        "X-Content-Type-Options",
                        "nosniff",
                        "Cache-Control",
                        "no-cache"));
        var digest = sha256(got.response().body());
        assertThat(header(got.response(), "ETag").get("ETag")).isEqualTo("\"" + digest + "\"");
        assertThat(route(ann, "GET", "/api/skills/tides", "")
                        .json()
                        .at("/skill/digest")
                        .asString())
                .isEqualTo(digest);
        assertThat(SkillArchive.read(got.response().body()).name()).isEqualTo("tides");
        answered(304, route(ann, "GET", path, "", "If-None-Match", "\"" + digest + "\""));
        assertThat(anonymously(path).statusCode()).isEqualTo(404);
        upload("?replace=true", "application/zip", SkillZip.of("tides", "Two.").bytes());
        var other = answered(200, route(ann, "GET", path, "", "If-None-Match", "\"" + digest + "\""));
        assertThat(sha256(other.response().body())).isNotEqualTo(digest);
    }

    @Test
    void strangersSeeWhatTheServiceShips() {
        upload("", "application/zip", SkillZip.of("tides", "Secret.").bytes());
        var listed = Json.readObject(anonymously("/api/skills").body());
        assertThat(listed.at("/status/success").asBoolean()).isTrue();
        assertThat(listed.at("/header/service").asString()).isEqualTo("SK_List");
        assertThat(listed.at("/skills").size()).isEqualTo(5);
        var read = Json.readObject(anonymously("/api/skills/first-steps").body());
        assertThat(read.at("/body").asString()).startsWith("# First steps");
        assertThat(read.has("agents")).isFalse();
        assertThat(read.at("/tools").toString()).doesNotContain("may_call");
        assertThat(anonymously("/api/skills/tides").statusCode()).isEqualTo(404);
        assertThat(anonymously("/api/skills?page.limit=x").statusCode()).isEqualTo(422);
        assertThat(anonymously("/api/skills/first-steps/archive").statusCode()).isEqualTo(200);
        var reader = fixture.user("reader", Role.MEMBER, "agent:read");
        answered(403, route(reader, "GET", "/api/skills", ""));
        answered(403, route(reader, "GET", "/api/skills/first-steps/archive", ""));
    }

    /** Through every endpoint, of every file and of the whole. */
    @Test
    void theDigestsAreTheSameEverywhere() throws Exception {
        var response = anonymously(INDEX, "Origin", "https://page.example");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "Content-Type", "Cache-Control", "Access-Control-Allow-Origin"))
                .isEqualTo(Map.of(
                        "Content-Type",
                        "application/json",
                        "Cache-Control",
                        "public, max-age=300",
                        "Access-Control-Allow-Origin",
                        "*"));
        var index = Json.readObject(response.body());
        assertThat(index.path("$schema").asString())
                .isEqualTo("https://schemas.agentskills.io/discovery/0.2.0/schema.json");
        var listed = Json.readObject(anonymously("/api/skills").body()).path("skills");
        var overMcp = route(root, "POST", "/mcp", "{'jsonrpc':'2.0','id':1,'method':'skills/list'}")
                .json()
                .at("/result/skills");
        assertThat(index.path("skills").size())
                .isEqualTo(5)
                .isEqualTo(listed.size())
                .isEqualTo(overMcp.size());
        for (var i = 0; i < listed.size(); i++) {
            same(index.path("skills").get(i), listed.get(i), overMcp.get(i));
        }
    }

    private void same(JsonNode entry, JsonNode listed, JsonNode overMcp) throws Exception {
        assertThat(entry.propertyNames()).containsExactly("name", "type", "description", "url", "digest", "resources");
        var name = entry.path("name").asString();
        assertThat(entry.path("type").asString()).isEqualTo("archive");
        assertThat(entry.path("description")).isEqualTo(overMcp.at("/frontmatter/description"));
        var archive = anonymously(entry.path("url").asString());
        assertThat(header(archive, "Content-Type").get("Content-Type")).isEqualTo("application/zip");
        assertThat(sha256(archive.body()))
                .isEqualTo(entry.path("digest").asString())
                .isEqualTo(listed.path("digest").asString())
                .isEqualTo(
                        sha256(anonymously("/api/skills/" + name + "/archive").body()));
        var skill = SkillArchive.read(archive.body());
        var files = Json.readObject(anonymously("/api/skills/" + name).body()).path("files");
        assertThat(skill.files().size())
                .isEqualTo(files.size())
                .isEqualTo(overMcp.path("resources").size())
                .isEqualTo(entry.path("resources").size());
        for (var i = 0; i < files.size(); i++) {
            var published = anonymously(entry.at("/resources/" + i + "/url").asString());
            assertThat(header(published, "Content-Type").get("Content-Type")).startsWith("text/markdown");
            assertThat(sha256(published.body()))
                    .isEqualTo(files.get(i).path("digest").asString())
                    .isEqualTo(overMcp.at("/resources/" + i + "/digest").asString())
                    .isEqualTo(entry.at("/resources/" + i + "/digest").asString())
                    .isEqualTo(skill.files().get(i).digest());
        }
    }

    @Test
    void whatIsPublishedIsFoundAndNothingElse() {
        assertThat(anonymously("/.well-known/agent-skills/first-steps/SKILL.md").statusCode())
                .isEqualTo(200);
        var tag = header(anonymously(INDEX), "ETag").get("ETag");
        assertThat(anonymously(INDEX, "If-None-Match", tag).statusCode()).isEqualTo(304);
        var head = ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + INDEX))
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .build());
        assertThat(head.statusCode()).isEqualTo(200);
        upload("", "application/zip", SkillZip.of("tides", "Secret.").bytes());
        for (var path : new String[] {
            "tides.zip", "tides/SKILL.md", "first-steps", "first-steps/", "first-steps/none.md", "none.zip", ""
        }) {
            assertThat(anonymously("/.well-known/agent-skills/" + path).statusCode())
                    .as(path)
                    .isEqualTo(404);
            assertThat(route(root, "GET", "/.well-known/agent-skills/" + path, "")
                            .status())
                    .as(path)
                    .isEqualTo(404);
        }
    }
}
