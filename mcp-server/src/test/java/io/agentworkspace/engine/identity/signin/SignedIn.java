package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.node.ObjectNode;

/** A person in a test: signed in with a browser, whose page sends the calls. */
public final class SignedIn implements TestCaller {
    /** The route by which the console calls each tool. */
    private static final String ROUTE = "/api/mcp/tools/%s/invoke";

    private final Browser browser;

    private SignedIn(Browser browser) {
        this.browser = browser;
    }

    public static SignedIn at(String url, String key) {
        return new SignedIn(Browser.signIn(url, key));
    }

    @Override
    public Reply call(String service, ObjectNode arguments) {
        var body = new String(Json.bytes(arguments), StandardCharsets.UTF_8);
        return new Reply(browser.change("POST", ROUTE.formatted(service), body).json());
    }
}
