package io.agentworkspace.engine.testing;

/** Sets up tests of domains: agents, and domains with zones. */
public final class DomainSetup {
    private DomainSetup() {}

    /** Creates private agents of this person. Each has a context with its own name, in which it speaks. */
    public static void agents(TestCaller owner, String... names) {
        for (var name : names) {
            agent(owner, name, "private");
        }
    }

    public static void agent(TestCaller owner, String name, String access) {
        owner.call("AP_Create", "{'vx':{'name':'%s','description':'d','access':'%s'}}".formatted(name, access))
                .ok();
        owner.call("AP_LogOn", "{'target':{'agent':'%1$s','context':'%1$s'}}".formatted(name))
                .ok();
    }

    /** Creates a domain without a host. */
    public static void domain(TestCaller owner, String name, String access) {
        owner.call("DM_Create", "{'vx':{'name':'%s','description':'d','access':'%s'}}".formatted(name, access))
                .ok();
    }

    public static void hosted(TestCaller owner, String name, String access, String host) {
        owner.call(
                        "DM_Create",
                        "{'target':{'agent':'%s'},'vx':{'name':'%s','description':'d','access':'%s'}}"
                                .formatted(host, name, access))
                .ok();
    }

    /** Runs a command on a domain and an agent. */
    public static Reply of(TestCaller caller, String service, String domain, String agent) {
        return caller.call(service, "{'target':{'domain':'%s','agent':'%s'}}".formatted(domain, agent));
    }

    public static Reply invite(TestCaller caller, String domain, String agent) {
        return of(caller, "DM_Invite", domain, agent);
    }

    public static Reply readDomain(TestCaller caller, String domain) {
        return caller.call("DM_Read", "{'target':{'domain':'%s'}}".formatted(domain));
    }

    public static void zone(TestCaller caller, String domain, String zone) {
        caller.call("ZN_Create", "{'target':{'domain':'%s'},'vx':{'name':'%s'}}".formatted(domain, zone))
                .ok();
    }

    public static Reply enter(TestCaller caller, String context, String domain, String zone) {
        return caller.call(
                "ZN_Enter", "{'target':{'domain':'%s','zone':'%s','context':'%s'}}".formatted(domain, zone, context));
    }

    public static Reply say(TestCaller caller, String context, String domain, String zone, String content) {
        return caller.call(
                "AP_Chat",
                "{'target':{'domain':'%s','zone':'%s','context':'%s'},'content':'%s'}"
                        .formatted(domain, zone, context, content));
    }

    /** Returns the agent's number of unread messages from the envelope. */
    public static long unread(TestCaller owner, String agent) {
        return owner.call("US_Read", "{'target':{'context':'%s'}}".formatted(agent))
                .ok()
                .number("/header/unread");
    }
}
