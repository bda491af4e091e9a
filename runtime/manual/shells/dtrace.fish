# Completion for fish: dtrace --complete knows the words.
for each in dtrace dc difas difdis
    complete -c $each -f -a '(dtrace --complete (commandline -cp | string collect) 2>/dev/null)'
end
