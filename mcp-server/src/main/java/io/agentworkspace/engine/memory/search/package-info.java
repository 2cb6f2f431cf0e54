/**
 * The search in memory banks: {@code SearchTools}, how texts become terms
 * ({@code TextAnalysis}), and how what was found is ranked.
 */
@NullMarked
package io.agentworkspace.engine.memory.search;

import org.jspecify.annotations.NullMarked;
