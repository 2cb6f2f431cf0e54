package io.agentworkspace.engine.tools;

/** What refusals say of who may, and who could change that: to those who may see the thing. */
final class Notes {
    private Notes() {}

    static String notYours(String kind, String name, String owner) {
        return "the %s '%s' belongs to '%s': only its owner and admins may do this; ask one of them"
                .formatted(kind, name, owner);
    }

    /** Who decides for a domain. */
    static String side(String owner) {
        return "the domain's owner '%s', an admin, or whoever is logged on as its host".formatted(owner);
    }

    static String notOfItsSide(String domain, String owner) {
        return "this is for the domain's side: in '%s' only %s may do it; ask one of them"
                .formatted(domain, side(owner));
    }

    static String banned(String agent, String domain, String owner) {
        return "the agent '%s' is banned from the domain '%s'; DM_Unban lifts that: ask %s"
                .formatted(agent, domain, side(owner));
    }

    static String notToDestroy(String bank, String owner) {
        return "only the owner of the bank '%s', '%s', and admins may destroy it; who holds 'manage' may put it into the trash with MB_Delete"
                .formatted(bank, owner);
    }

    static String notYourself(String agent, String owner) {
        return "only the owner of the agent '%s', '%s', may log on as it; log on as one of your own, or let '%2$s' do it"
                .formatted(agent, owner);
    }

    static String notToActAs(String agent, String owner) {
        return "only the owner of the agent '%s', '%s', and admins may act as it; name one of your own"
                .formatted(agent, owner);
    }

    static String boundElsewhere(String agent) {
        return "your key is bound to another agent than '%s'; use a key that is bound to it or to none, which its owner can make with AK_Create"
                .formatted(agent);
    }
}
