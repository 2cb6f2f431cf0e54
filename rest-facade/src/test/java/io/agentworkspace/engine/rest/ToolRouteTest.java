package io.agentworkspace.engine.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolRouteTest {
    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static TestServer.Got patch(String path, String body) throws Exception {
        return server.send(server.to(path)
                .header("Content-Type", "application/json")
                .method("PATCH", BodyPublishers.ofString(body)));
    }

    @Test
    void queryParametersTakeTheTypesOfTheSchema() throws Exception {
        var got = server.get("/api/keys?enabled=true&labels=a&labels=b&page.limit=7&page.cursor=c%20d");

        assertThat(got.status()).isEqualTo(200);
        assertThat(got.at("/heard"))
                .isEqualTo("KeyList[enabled=true, labels=[a, b], page=KeyPage[limit=7, cursor=c d]]");
        assertThat(got.at("/header/service")).isEqualTo("AK_List");
    }

    @ParameterizedTest
    @ValueSource(strings = {"page.limit=x", "page.limit=201", "enabled=yes"})
    void aQueryParameterOfTheWrongKindIsNamed(String query) throws Exception {
        var got = server.get("/api/keys?" + query);

        assertThat(got.problem()).isEqualTo("422 invalid_field");
        assertThat(got.at("/detail")).startsWith(query.split("=")[0] + " must be");
        assertThat(got.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(got.at("/request_id")).isEqualTo("req-1");
    }

    /** Decisions, section 3: elsewhere a blank optional field counts as left out. */
    @Test
    void aBlankQueryParameterIsLeftOut() throws Exception {
        assertThat(server.get("/api/keys?enabled=true&page.limit=").at("/heard"))
                .isEqualTo("KeyList[enabled=true, labels=null, page=KeyPage[limit=null, cursor=null]]");
    }

    @Test
    void whatIsCreatedAnswers201() throws Exception {
        var got = server.post("/api/keys", "{\"name\":\"ci\"}");

        assertThat(got.status()).isEqualTo(201);
        assertThat(got.at("/heard")).isEqualTo("NewKey[name=ci, labels=null]");
        assertThat(got.json().at("/status/success").asBoolean()).isTrue();
        assertThat(got.json().at("/status/http_code").asInt()).isEqualTo(201);
    }

    @Test
    void thePathWinsOverTheBody() throws Exception {
        assertThat(patch("/api/keys/k1", "{\"id\":\"k2\",\"name\":\"n\"}").at("/heard"))
                .isEqualTo("KeyChange[id=k1, name=n]");
        assertThat(patch("/api/keys/a%20b", "{}").at("/heard")).isEqualTo("KeyChange[id=a b, name=null]");
    }

    @Test
    void aRouteWithoutABodyNeedsNoContentType() throws Exception {
        assertThat(server.send(server.to("/api/keys/12").DELETE()).at("/heard")).isEqualTo("OneKey[id=12]");
        assertThat(server.send(server.to("/api/keys/x").DELETE()).problem()).isEqualTo("422 invalid_field");
    }

    @Test
    void refusalsAreProblemsWithPreciseStatuses() throws Exception {
        assertThat(patch("/api/keys/gone", "{}").problem()).isEqualTo("404 not_found");
        assertThat(server.post("/api/keys", "{}").problem()).isEqualTo("422 missing_field");
        assertThat(server.post("/api/keys", "{\"name\":1}").problem()).isEqualTo("400 malformed_json");
        assertThat(server.post("/api/keys", "{").problem()).isEqualTo("400 malformed_json");
        assertThat(server.send(server.anonymously("/api/keys")).problem()).isEqualTo("401 unauthenticated");
        assertThat(server.send(server.anonymously("/api/keys/1")
                                .header("X-Api-Key", "viewer")
                                .DELETE())
                        .problem())
                .isEqualTo("403 not_permitted");
        assertThat(server.send(server.to("/api/keys").POST(BodyPublishers.ofString("{}")))
                        .problem())
                .isEqualTo("415 unsupported_media_type");
    }

    @Test
    void anotherMethodIsRefusedWithThoseAllowed() throws Exception {
        var got = server.send(server.to("/api/keys").PUT(BodyPublishers.ofString("{}")));

        assertThat(got.problem()).isEqualTo("405 method_not_allowed");
        assertThat(got.header("Allow")).contains("GET").contains("POST");
    }
}
