package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import org.eclipse.jetty.server.Request;

/** A desk where the method says what happens: whoever asks is signed in. */
final class TestSignIn implements SignIn {
    @Override
    public Outcome session(Request request) {
        return Outcome.of(200, Json.object().put("signed_in", true));
    }

    @Override
    public Outcome begin(Request request) {
        return Outcome.of(201, Json.object().put("signed_in", true)).with("Set-Cookie", "session=1; Path=/");
    }

    @Override
    public Outcome end(Request request) {
        throw Problem.conflict("not now");
    }

    @Override
    public Outcome token(Request request) {
        return Outcome.of(200, Json.object().put("token_type", "Bearer"));
    }

    @Override
    public List<String> providers() {
        return List.of("sample");
    }

    @Override
    public Outcome leave(Request request, String provider) {
        return Outcome.redirect("https://" + provider + ".example/?a=b")
                .with("Set-Cookie", "one=1")
                .with("Set-Cookie", "two=2");
    }

    @Override
    public Outcome arrive(Request request, String provider) {
        throw Problem.notPermitted("not you");
    }

    @Override
    public Outcome keys() {
        return Outcome.of(200, Json.object()).with("Cache-Control", "public, max-age=60");
    }
}
