# Completion for bash: dtrace --complete knows the words.
_dtrace_suite() {
	local IFS=$'\n' line="${COMP_LINE:0:COMP_POINT}" word="${COMP_WORDS[COMP_CWORD]}" lead
	COMPREPLY=($(dtrace --complete "$line" 2>/dev/null))
	# Readline ends words at colons and equals signs: what stands before the last one is there already.
	case $word in
	[\'\"]*) ;;
	*)
		lead="${line##*[[:space:]]}"
		case $lead in
		*[:=]*)
			lead="${lead%"${lead##*[:=]}"}"
			COMPREPLY=("${COMPREPLY[@]#"$lead"}") ;;
		esac ;;
	esac
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=/] ]] && compopt -o nospace 2>/dev/null
	return 0
}
complete -F _dtrace_suite dtrace dc difas difdis
