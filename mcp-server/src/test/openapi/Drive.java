import client.ApiClient;
import client.ApiException;
import client.api.EngineApi;
import client.model.*;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;

/** A user's work with the client that openapi-generator makes: java Drive <address> <key>. drive.ts does the same. */
final class Drive {
    private final EngineApi engine;
    private final ApiClient client = new ApiClient();

    private Drive(String address, String key) {
        client.updateBaseUri(address);
        client.setRequestInterceptor(request -> request.header("X-Api-Key", key));
        engine = new EngineApi(client);
    }

    public static void main(String[] arguments) throws Exception {
        var drive = new Drive(arguments[0], arguments[1]);
        drive.agents();
        drive.talk();
        drive.memories();
        drive.keys();
        drive.endpoints();
        drive.account();
        drive.refusals();
    }

    private void agents() throws ApiException {
        Agent agent = engine.agentCreate(
                        new AgentCreateRequest()
                                .vx(new AgentCreateVx().name("scout").description("Watches the tide tables.")),
                        "first-1")
                .getAgent();
        say("agent: %s owned by %s, %s, revision %d", agent.getName(), agent.getOwner(), agent.getAccess(), agent.getRevision());
        Domain domain = engine.domainCreate(
                        new DomainCreateRequest()
                                .target(new DomainCreateTarget().agent("scout"))
                                .vx(new DomainCreateVx().name("harbour").description("Where the crew talks.")),
                        null)
                .getDomain();
        say("domain: %s hosted by %s", domain.getName(), domain.getHost());
    }

    private void talk() throws ApiException {
        engine.agentLogOn(new AgentLogOnRequest().target(new AgentLogOnTarget().agent("scout")), null);
        Message message = engine.agentChat(
                        new AgentChatRequest()
                                .target(new AgentChatTarget().domain("harbour"))
                                .content("Low water at 06:12."),
                        null)
                .getContent()
                .getFirst();
        say("said: %s as %s in %s", message.getContent(), message.getFrom(), message.getZone());
        var zone = engine.zoneRead(
                new ZoneReadRequest().target(new ZoneReadTarget().domain("harbour").zone("main")), null);
        say("heard: %s", zone.getContent().getFirst().getContent());
    }

    private void memories() throws ApiException {
        engine.bankCreate(new BankCreateRequest().vx(new BankCreateVx().name("field-notes")), null);
        Memory memory = engine.bankStore(
                        new BankStoreRequest()
                                .target(new BankStoreTarget().bank("field-notes"))
                                .vx(new BankStoreVx().name("low water").tags(List.of("tides")))
                                .content("Low water at 06:12."),
                        null)
                .getMemory();
        say("memory: %s tagged %s", memory.getText(), memory.getTags().getFirst());
        engine.bankStore(
                new BankStoreRequest().target(new BankStoreTarget().bank("field-notes")).content("A seal."), null);
        var found = engine.bankRead(
                new BankReadRequest()
                        .target(new BankReadTarget().bank("field-notes"))
                        .vx(new BankReadVx().tags(List.of("tides"))),
                null);
        say("found: %d of %d", found.getContent().size(), found.getProfile().getFirst().getMemories());
    }

    private void keys() throws ApiException {
        var made = engine.keyCreate(
                new KeyCreateRequest().name("nightly report").addCapabilitiesItem("agent:read"), null);
        var state = made.getKey().getState();
        var revoked = engine.keyRevoke(made.getKey().getId(), null, new KeyRevokeRequest());
        say(
                "key: %s, %s, then %s, of %d",
                made.getKey().getName(),
                state,
                revoked.getKey().getState(),
                engine.keyList(null, null, null, null).getKeys().size());
    }

    private void endpoints() throws ApiException {
        Endpoint endpoint = engine.webhookCreate(
                        new WebhookCreateRequest()
                                .url("http://127.0.0.1:9/hooks")
                                .addEventsItem("agent.deployment.created"),
                        null)
                .getEndpoint();
        say("endpoint: %s, shown once %s", endpoint.getEvents().getFirst(), endpoint.getSecret().substring(0, 6));
    }

    private void account() throws ApiException {
        say("account: %s", engine.accountRead().getAccount().getPlan());
        var page = engine.keyList(null, null, 1, null);
        say("page: %d%s", page.getKeys().size(), page.getNextCursor() == null ? "" : " of more");
        var answer = engine.commandRun(new CommandRequest().service(CommandRequest.ServiceEnum.US_READ), null);
        say("command: %s", answer.getHeader().getService());
    }

    private void refusals() throws JsonProcessingException {
        try {
            engine.agentCreate(
                    new AgentCreateRequest().vx(new AgentCreateVx().name("Scout").description("Another.")), null);
        } catch (ApiException refused) {
            Refusal refusal = client.getObjectMapper().readValue(refused.getResponseBody(), Refusal.class);
            Status status = refusal.getStatus();
            say("refused: %d %s %d", refused.getCode(), status.getError(), status.getInternalCode());
        }
        try {
            engine.keyUsage("none");
        } catch (ApiException refused) {
            Problem problem = client.getObjectMapper().readValue(refused.getResponseBody(), Problem.class);
            say("problem: %d %s", problem.getStatus(), problem.getError());
        }
    }

    private static void say(String format, Object... values) {
        System.out.println(format.formatted(values));
    }
}
