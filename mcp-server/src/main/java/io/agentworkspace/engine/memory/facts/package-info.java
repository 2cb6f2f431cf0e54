/** What short texts state: their subjects and values ({@code Claim}), and whether two of them differ in a value, by rules. */
@NullMarked
package io.agentworkspace.engine.memory.facts;

import org.jspecify.annotations.NullMarked;
