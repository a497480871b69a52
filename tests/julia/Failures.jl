# The error of a failed call of the library.
module Failures

using ThreeChains: TcError

export failure

"The status and the text of what `f` throws; `(:none, \"\")` if it does not."
function failure(f)
    try
        f()
        return (:none, "")
    catch error
        error isa TcError || rethrow()
        return (error.status, error.text)
    end
end

end
