package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import org.eclipse.jetty.server.Request;

/** A sign-in with a fixed outcome for each operation. */
final class TestSignIn implements SignIn {
    @Override
    public SignInResponse session(Request request) {
        return SignInResponse.of(200, Json.object().put("signed_in", true));
    }

    @Override
    public SignInResponse begin(Request request) {
        return SignInResponse.of(201, Json.object().put("signed_in", true)).with("Set-Cookie", "session=1; Path=/");
    }

    @Override
    public SignInResponse end(Request request) {
        throw Problem.conflict("not now");
    }

    @Override
    public SignInResponse token(Request request) {
        return SignInResponse.of(200, Json.object().put("token_type", "Bearer"));
    }

    @Override
    public List<String> providers() {
        return List.of("sample");
    }

    @Override
    public SignInResponse leave(Request request, String provider) {
        return SignInResponse.redirect("https://" + provider + ".example/?a=b")
                .with("Set-Cookie", "one=1")
                .with("Set-Cookie", "two=2");
    }

    @Override
    public SignInResponse arrive(Request request, String provider) {
        throw Problem.notPermitted("not you");
    }

    @Override
    public SignInResponse keys() {
        return SignInResponse.of(200, Json.object()).with("Cache-Control", "public, max-age=60");
    }
}
